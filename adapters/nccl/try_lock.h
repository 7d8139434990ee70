// A lock that nobody waits for in a thread of the program: who does not get it does without.
#pragma once

#include <atomic>
#include <sched.h>
#include <time.h>

namespace lockstep::adapters::nccl {

class TryLock {
 public:
  bool try_lock() { return !is_taken_.exchange(true, std::memory_order_acquire); }
  void lock() {  // for the adapter's own thread
    while (!try_lock()) ::sched_yield();
  }
  bool lock_within(int milliseconds) {  // where the program waits anyway
    const timespec pause{0, 1'000'000};
    for (int i = 0; i < milliseconds; ++i) {
      if (try_lock()) return true;
      ::nanosleep(&pause, nullptr);
    }
    return false;
  }
  void unlock() { is_taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_taken_{false};
};

}  // namespace lockstep::adapters::nccl
