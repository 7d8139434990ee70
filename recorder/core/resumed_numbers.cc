#include "resumed_numbers.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "point_to_point.h"

namespace lockstep::recorder {
namespace {

// Whether they are counted together.
bool is_same_way(const PayloadKey& a, const PayloadKey& b) {
  if (a.communicator != b.communicator) return false;
  if (!is_point_to_point(a.operation) && !is_point_to_point(b.operation)) return true;
  return a.operation == b.operation && a.peer == b.peer;
}

}  // namespace

int ResumedNumbers::open(const PayloadIndex& index, std::uint64_t first_step) {
  void* memory = ::mmap(nullptr, kMostWays * sizeof(Way), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return errno;
  ways_ = static_cast<Way*>(memory);
  first_step_ = first_step;
  index_ = &index;
  return 0;
}

// Known, or new; null when there are too many.
ResumedNumbers::Way* ResumedNumbers::way_of(const PayloadKey& key) {
  for (std::size_t i = 0; i < kMostWays; ++i) {
    Way& way = ways_[i];
    if (way.key.communicator == 0) {
      way.key = key;
      way.first_recorded = index_->first_number(
          first_step_, [&](const PayloadKey& recorded) { return is_same_way(recorded, key); });
      return &way;
    }
    if (is_same_way(way.key, key)) return &way;
  }
  return nullptr;
}

std::uint64_t ResumedNumbers::recorded(const PayloadKey& key) {
  if (index_ == nullptr || !has_begun_.load(std::memory_order_acquire)) return key.sequence;
  while (is_locked_.exchange(true, std::memory_order_acquire)) ::sched_yield();
  const Way* const way = way_of(key);
  is_locked_.store(false, std::memory_order_release);
  if (way == nullptr || way->first_recorded == 0) return key.sequence;
  return way->first_recorded + (key.sequence - way->key.sequence);
}

}  // namespace lockstep::recorder
