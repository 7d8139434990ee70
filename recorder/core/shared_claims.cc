#include "shared_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bus_guard.h"

namespace lockstep::recorder {
namespace {

// Growing past RLIMIT_FSIZE would not only fail: it would send SIGXFSZ to the training job.
bool may_grow_to(std::size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

}  // namespace

// Null where there is none.
void* SharedClaims::map_file(const char* path) {
  if (!may_grow_to(kBytes)) return nullptr;
  const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return nullptr;
  // A page of a file with holes that finds no room on the disk would be a SIGBUS.
  bool has_room = ::fallocate(file, 0, 0, kBytes) == 0;
  if (!has_room && (errno == EOPNOTSUPP || errno == ENOSYS)) has_room = ::ftruncate(file, kBytes) == 0;
  void* const place =
      has_room ? ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  ::close(file);
  return place == MAP_FAILED ? nullptr : place;
}

int SharedClaims::open(const char* path) {
  void* place = map_file(path);
  if (place == nullptr) {
    place =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (place == MAP_FAILED) return errno;
  ::madvise(place, kBytes, MADV_DONTFORK);
  guard_against_truncation(static_cast<char*>(place), kBytes);
  head_ = static_cast<std::atomic<std::uint64_t>*>(place);
  names_ = head_ + kHeadWords;
  return 0;
}

// All who claim one name try the same places in the same order, so that only one of them succeeds.
bool SharedClaims::claim(std::uint64_t name, std::uint32_t generation) {
  const std::uint64_t mark = (name & ~kGenerations) | (generation & kGenerations);
  std::atomic<std::uint64_t>* const set = names_ + name % kSets * kWays;
  for (std::size_t way = 0; way < kWays; ++way) {
    std::uint64_t known = set[way].load(std::memory_order_relaxed);
    if (known == 0 && set[way].compare_exchange_strong(known, mark, std::memory_order_relaxed)) return true;
    if ((known & ~kGenerations) != (mark & ~kGenerations)) continue;
    if ((known & kGenerations) >= (mark & kGenerations)) return false;
    return set[way].compare_exchange_strong(known, mark, std::memory_order_relaxed);
  }
  const std::size_t way = (name >> kGenerationBits) % kWays;
  return set[way].exchange(mark, std::memory_order_relaxed) != mark;
}

void SharedClaims::stop_all() {
  head_[0].store(1, std::memory_order_relaxed);
}

bool SharedClaims::have_all_stopped() const {
  return head_[0].load(std::memory_order_relaxed) != 0;
}

void SharedClaims::note_checkpoint(std::uint64_t step) {
  constexpr std::uint64_t kSteps = (std::uint64_t{1} << kStepBits) - 1;
  std::uint64_t known = head_[1].load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    const bool is_first = known == 0;
    if (!is_first && (known & kSteps) >= step) return;
    next = ((known >> kStepBits) + 1) << kStepBits | (step & kSteps);
  } while (!head_[1].compare_exchange_weak(known, next, std::memory_order_relaxed));
}

std::uint32_t SharedClaims::checkpoints() const {
  return static_cast<std::uint32_t>(head_[1].load(std::memory_order_relaxed) >> kStepBits);
}

}  // namespace lockstep::recorder
