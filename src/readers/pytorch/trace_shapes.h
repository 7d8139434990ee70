// The collective itself as the args of a trace entry describe it.
#pragma once

#include "base/fast_json.h"
#include "model/collective.h"

namespace lockstep::readers {

// record_param_comms and NCCL kernels: element counts, which are there whether or not shapes were recorded.
// Without the operation.
model::Collective collective_of_call(base::FastJson args, model::Operation operation);

// c10d::broadcast_: its shapes differ in form between operations; only the root or the other end is taken.
model::Collective collective_of_issue(base::FastJson args, model::Operation operation);

// gloo:all_reduce: shapes and types, if they were recorded.
model::Collective collective_of_annotation(base::FastJson args);

}  // namespace lockstep::readers
