// Hosts whose watchers were lost while the job ran. What was last known of their ranks is evidence as long as
// the job stands still; once the others go on, it is only old.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "run/watch/live_job.h"

namespace lockstep::supervise {

class LostHosts {
 public:
  void add(std::string host, const std::vector<int>& ranks);

  // Those without which the job has gone on, once each.
  std::vector<std::string> left_behind(const watch::LiveJob& job);

 private:
  using Clock = std::chrono::steady_clock;
  struct Lost {
    std::string host;
    std::set<int> ranks;
    Clock::time_point since;
    std::uint64_t calls = 0;  // of the other ranks, some time after it was lost
    bool is_settled = false;
  };

  std::vector<Lost> lost_;
};

}  // namespace lockstep::supervise
