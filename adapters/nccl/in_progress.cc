#include "in_progress.h"

#include <atomic>

#include "progress.h"
#include "try_lock.h"

namespace lockstep::adapters::nccl {
namespace {

constexpr std::size_t kMost = 1024;
Issued waiting[kMost];
std::atomic<std::size_t> waiting_count;
TryLock waiting_lock;

// Takes out what waits for the communicator; the rest keeps its order.
std::size_t take_out(Communicator communicator, Issued (&taken)[kMost]) {
  if (!waiting_lock.try_lock()) return 0;
  const std::size_t count = waiting_count.load(std::memory_order_relaxed);
  std::size_t kept = 0;
  std::size_t out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting[i].communicator == communicator) {
      taken[out++] = waiting[i];
    } else {
      waiting[kept++] = waiting[i];
    }
  }
  waiting_count.store(kept, std::memory_order_relaxed);
  waiting_lock.unlock();
  return out;
}

}  // namespace

bool wait_for_communicator(const Issued& issued) {
  if (!waiting_lock.try_lock()) return false;
  const std::size_t count = waiting_count.load(std::memory_order_relaxed);
  const bool has_room = count < kMost;
  if (has_room) {
    waiting[count] = issued;
    waiting_count.store(count + 1, std::memory_order_relaxed);
  }
  waiting_lock.unlock();
  return has_room;
}

void note_state(Communicator communicator, Result state) {
  if (state == kInProgress) return;
  if (waiting_count.load(std::memory_order_relaxed) != 0) {
    Issued taken[kMost];
    settle(taken, take_out(communicator, taken), state);
  }
  if (state == kSuccess) return;
  if (const std::uint32_t id = communicator_id(communicator)) give_up(id);
}

}  // namespace lockstep::adapters::nccl
