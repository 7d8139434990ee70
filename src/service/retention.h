// When jobs that are over are forgotten.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "service/clock.h"
#include "service/store/store.h"

namespace lockstep::service {

class Retention {
 public:
  // A few at a time, since others wait for the same thread. Held by JobServiceTest.AFewAreForgottenAtATime.
  static constexpr int kMaxAtOnce = 20;
  // Between looks while there may be more to forget, and while there is none: jobs are kept for hours.
  static constexpr std::chrono::seconds kBetweenBatches{1};
  static constexpr std::chrono::seconds kBetweenLooks{60};

  // 0: for ever.
  explicit Retention(std::chrono::milliseconds kept_for) : kept_for_(kept_for) {}

  // Jobs to forget now; none before it is time to look again.
  Result<std::vector<std::string>> due(Store& store, const ServiceClock& clock) {
    if (kept_for_.count() == 0 || clock.now() < next_look_) return std::vector<std::string>();
    std::vector<std::string> names = TRY(store.over_before(clock.wall_ms() - kept_for_.count(), kMaxAtOnce));
    next_look_ = clock.now() + (names.size() == kMaxAtOnce ? kBetweenBatches : kBetweenLooks);
    return names;
  }

 private:
  std::chrono::milliseconds kept_for_;
  ServiceClock::Point next_look_{};
};

}  // namespace lockstep::service
