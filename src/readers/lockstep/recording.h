// Record files of our own recorder (docs/formats/record.md).
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_recording(const Source& source);
model::Job read_recording(const Source& source);

}  // namespace lockstep::readers
