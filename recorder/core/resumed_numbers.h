// The numbers of calls in a replay that resumes from a checkpoint: its first step is a later one of the
// recorded run, so its calls go on where those of that step begin, in each communicator and with each
// partner.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "payload_index.h"

namespace lockstep::recorder {

class ResumedNumbers {
 public:
  // 0 or an errno. `index` stays.
  int open(const PayloadIndex& index, std::uint64_t first_step);

  // Calls from here on are of that step.
  void begin_loop() { has_begun_.store(true, std::memory_order_release); }

  // The number that the call has in the recorded run.
  std::uint64_t recorded(const PayloadKey& key);

 private:
  struct Way {
    PayloadKey key;  // with the number of the first call after the loop began; communicator 0: free
    std::uint64_t first_recorded;
  };
  static constexpr std::size_t kMostWays = 4096;

  Way* way_of(const PayloadKey& key);

  const PayloadIndex* index_ = nullptr;  // null: numbers are as they are
  std::uint64_t first_step_ = 0;
  Way* ways_ = nullptr;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_locked_{false};
};

}  // namespace lockstep::recorder
