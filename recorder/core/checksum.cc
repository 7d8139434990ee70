#include "checksum.h"

// Everything in this file, nothing to link.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lockstep::recorder {

std::uint64_t checksum(const lockstep_piece* pieces, std::size_t count) {
  if (count == 1) return XXH3_64bits(pieces[0].data, pieces[0].bytes);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes != 0) XXH3_64bits_update(&state, pieces[i].data, pieces[i].bytes);
  }
  return XXH3_64bits_digest(&state);
}

}  // namespace lockstep::recorder
