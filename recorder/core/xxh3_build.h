// The one text of both builds of xxh3.h. Everything of XXH3 is in the file that includes it, nothing to link.
#pragma once

#include <string.h>

#define XXH_INLINE_ALL
#define XXH_PREFETCH_DIST 2048  // results come from memory, not from a cache: a third faster than with 384
#include <xxhash.h>

#include "xxh3.h"

namespace lockstep::recorder {
namespace {

std::uint64_t sum_of(const lockstep_piece* pieces, std::size_t count) {
  if (count == 1) return XXH3_64bits(pieces[0].data, pieces[0].bytes);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes != 0) XXH3_64bits_update(&state, pieces[i].data, pieces[i].bytes);
  }
  return XXH3_64bits_digest(&state);
}

Hash128 canonical(XXH128_hash_t hash) {
  XXH128_canonical_t text;
  XXH128_canonicalFromHash(&text, hash);
  Hash128 result;
  ::memcpy(result.bytes, text.digest, sizeof result.bytes);
  return result;
}

Hash128 hash_of(const lockstep_piece* pieces, std::size_t count) {
  if (count == 1) return canonical(XXH3_128bits(pieces[0].data, pieces[0].bytes));
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes != 0) XXH3_128bits_update(&state, pieces[i].data, pieces[i].bytes);
  }
  return canonical(XXH3_128bits_digest(&state));
}

}  // namespace
}  // namespace lockstep::recorder
