// The log of NCCL's Inspector plugin: one JSON object for each operation that completed.
//
// Its coll_sn counts each kind of operation by itself, so the number of an event here is made of both: equal
// on all members, and different for different operations.
#pragma once

#include <cstdint>

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

bool recognises_nccl_inspector(const Source& source);
model::Job read_nccl_inspector(const Source& source);

// The number of the operation whose coll_sn is `serial`.
std::uint64_t inspector_sequence(model::Operation operation, std::uint64_t serial);

}  // namespace lockstep::readers
