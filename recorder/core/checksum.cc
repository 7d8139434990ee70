#include "checksum.h"

#include "xxh3.h"

namespace lockstep::recorder {

std::uint64_t checksum(const lockstep_piece* pieces, std::size_t count) {
  return xxh3_of_this_processor().sum(pieces, count);
}

}  // namespace lockstep::recorder
