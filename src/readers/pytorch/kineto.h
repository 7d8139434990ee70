// Traces of the PyTorch profiler (Kineto) and other Chrome traces of the form {"traceEvents": [...]}.
//
// A collective over NCCL is in it twice: as the CPU operation record_param_comms, which says what and in
// which group, and as the kernel, which says when. Over Gloo it is the operation c10d::..., which says when
// it was issued, and an annotation gloo:..., which says when it ran. Each pair becomes one event.
// ProfilerStep#N becomes a step.
#pragma once

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_kineto(const Source& source);

// Streams: memory follows the number of collectives and steps, not the size of the trace.
model::Job read_kineto(const Source& source);

}  // namespace lockstep::readers
