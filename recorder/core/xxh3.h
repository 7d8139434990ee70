// XXH3, built for every processor of this kind and once more for those with wider registers. Both give the
// same.
#pragma once

#include "hash128.h"

namespace lockstep::recorder {

struct Xxh3 {
  std::uint64_t (*sum)(const lockstep_piece* pieces, std::size_t count);
  Hash128 (*hash)(const lockstep_piece* pieces, std::size_t count);
};
extern const Xxh3 plain_xxh3;
extern const Xxh3 wide_xxh3;

inline const Xxh3& xxh3_of_this_processor() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") ? wide_xxh3 : plain_xxh3;
#else
  return plain_xxh3;
#endif
}

}  // namespace lockstep::recorder
