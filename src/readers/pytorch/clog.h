// The log of torchcomms' ClogHook, format 1: one file for each rank, a line for each step of each collective.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_clog(const Source& source);
model::Job read_clog(const Source& source);

}  // namespace lockstep::readers
