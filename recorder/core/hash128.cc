#include "hash128.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lockstep::recorder {
namespace {

Hash128 canonical(XXH128_hash_t hash) {
  XXH128_canonical_t text;
  XXH128_canonicalFromHash(&text, hash);
  Hash128 result;
  ::memcpy(result.bytes, text.digest, sizeof result.bytes);
  return result;
}

}  // namespace

Hash128 hash128(const void* data, std::size_t bytes) {
  return canonical(XXH3_128bits(data, bytes));
}

Hash128 hash128(const lockstep_piece* pieces, std::size_t count) {
  if (count == 1) return hash128(pieces[0].data, pieces[0].bytes);
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes != 0) XXH3_128bits_update(&state, pieces[i].data, pieces[i].bytes);
  }
  return canonical(XXH3_128bits_digest(&state));
}

std::uint64_t short_name(const std::uint8_t (&hash)[16]) {
  std::uint64_t name;
  ::memcpy(&name, hash + 8, sizeof name);
  return name != 0 ? name : 1;
}

}  // namespace lockstep::recorder
