// host_<name>.json of a recording: what `lockstep run` saw on a host when it suspected a fault. The facts in
// it are of that moment, and the job may have gone on: so nothing is concluded from them, but what could not
// be collected is told.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_host_account(const Source& source);
model::Job read_host_account(const Source& source);

}  // namespace lockstep::readers
