// A lock that nobody waits for in a thread of the program: who does not get it does without.
#pragma once

#include <atomic>
#include <sched.h>

namespace lockstep::adapters::nccl {

class TryLock {
 public:
  bool try_lock() { return !is_taken_.exchange(true, std::memory_order_acquire); }
  void lock() {  // for the adapter's own thread, and where nothing hangs on microseconds
    while (!try_lock()) ::sched_yield();
  }
  void unlock() { is_taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_taken_{false};
};

}  // namespace lockstep::adapters::nccl
