// XXH3-64, which the record format fixes for tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/recorder.h"

namespace lockstep::recorder {

std::uint64_t checksum(const lockstep_piece* pieces, std::size_t count);

}  // namespace lockstep::recorder
