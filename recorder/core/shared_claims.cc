#include "shared_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::recorder {

int SharedClaims::open(const char* path) {
  constexpr std::size_t kBytes = kSets * kWays * sizeof(std::uint64_t);
  const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  void* place = MAP_FAILED;
  if (::ftruncate(file, kBytes) == 0) {
    place = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  const int error = errno;
  ::close(file);
  if (place == MAP_FAILED) return error;
  ::madvise(place, kBytes, MADV_DONTFORK);
  names_ = static_cast<std::atomic<std::uint64_t>*>(place);
  return 0;
}

// All who claim one name try the same places in the same order, so that only one of them succeeds.
bool SharedClaims::claim(std::uint64_t name) {
  if (names_ == nullptr) return true;
  std::atomic<std::uint64_t>* const set = names_ + name % kSets * kWays;
  for (std::size_t way = 0; way < kWays; ++way) {
    std::uint64_t known = set[way].load(std::memory_order_relaxed);
    if (known == 0 && set[way].compare_exchange_strong(known, name, std::memory_order_relaxed)) return true;
    if (known == name) return false;
  }
  return set[name / kSets % kWays].exchange(name, std::memory_order_relaxed) != name;
}

}  // namespace lockstep::recorder
