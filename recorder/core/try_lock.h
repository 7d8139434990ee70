// A lock that gives up. A training thread never waits for the recorder longer than a bounded number of
// attempts; what it could not do then is left out.
#pragma once

#include <atomic>
#include <sched.h>

namespace lockstep::recorder {

class TryLock {
 public:
  explicit TryLock(std::atomic<bool>& flag) : flag_(flag) {
    for (int attempt = 0; attempt < kAttempts && !held_; ++attempt) {
      held_ = !flag_.exchange(true, std::memory_order_acquire);
      if (!held_) ::sched_yield();  // the holder may be waiting for this very core
    }
  }
  ~TryLock() {
    if (held_) flag_.store(false, std::memory_order_release);
  }
  TryLock(const TryLock&) = delete;
  TryLock& operator=(const TryLock&) = delete;

  bool held() const { return held_; }

 private:
  static constexpr int kAttempts = 1000;  // about a millisecond

  std::atomic<bool>& flag_;
  bool held_ = false;
};

}  // namespace lockstep::recorder
