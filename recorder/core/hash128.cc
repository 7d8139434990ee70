#include "hash128.h"

#include <string.h>

#include "xxh3.h"

namespace lockstep::recorder {

Hash128 hash128(const void* data, std::size_t bytes) {
  const lockstep_piece piece{data, bytes};
  return hash128(&piece, 1);
}

Hash128 hash128(const lockstep_piece* pieces, std::size_t count) {
  return xxh3_of_this_processor().hash(pieces, count);
}

std::uint64_t short_name(const std::uint8_t (&hash)[16]) {
  std::uint64_t name;
  ::memcpy(&name, hash + 8, sizeof name);
  return name != 0 ? name : 1;
}

}  // namespace lockstep::recorder
