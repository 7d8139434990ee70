// Which contents some rank of this host already keeps: a table in a file that all of them map. Who puts a
// content's name in first keeps its bytes. A name may be forgotten when its place is needed: then bytes are
// kept twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::recorder {

class SharedClaims {
 public:
  // 0 or an errno; without the table every claim succeeds.
  int open(const char* path);

  // True when nobody has claimed it before: the caller keeps the bytes.
  bool claim(std::uint64_t name);

 private:
  static constexpr std::size_t kSets = std::size_t{1} << 16;
  static constexpr std::size_t kWays = 4;

  std::atomic<std::uint64_t>* names_ = nullptr;  // 0: free
};

}  // namespace lockstep::recorder
