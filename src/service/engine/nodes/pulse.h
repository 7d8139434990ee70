// Ranks that gave signs of life and give none any more, though they left no last word. Their clock is not
// compared with ours: a sign is that the file changes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "service/engine/attempt_folder.h"

namespace lockstep::service {

class Pulse {
 public:
  using Clock = std::chrono::steady_clock;

  Pulse(const AttemptFolder& folder, int workers) : folder_(folder), workers_(workers) {}

  void feel(Clock::time_point now);
  // Of those that were felt last.
  std::vector<int> silent_for(std::chrono::seconds time, Clock::time_point now) const;

 private:
  struct Beat {
    std::int64_t last_ms = -1;
    Clock::time_point at;
  };
  AttemptFolder folder_;
  int workers_;
  std::map<int, Beat> beats_;
};

}  // namespace lockstep::service
