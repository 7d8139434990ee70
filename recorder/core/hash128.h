// The name of bytes by their content: canonical XXH3-128.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/recorder.h"

namespace lockstep::recorder {

struct Hash128 {
  std::uint8_t bytes[16];
};

Hash128 hash128(const void* data, std::size_t bytes);
Hash128 hash128(const lockstep_piece* pieces, std::size_t count);

// Eight of its bytes as a number, for tables; never 0.
std::uint64_t short_name(const std::uint8_t (&hash)[16]);

}  // namespace lockstep::recorder
