// How long one rank has waited inside communication so far: a clock that stands still while the rank works.
//
// A call that was issued before an earlier one had ended shows that the rank was not blocked by it, so of
// overlapping calls only the time after the last issue counts. Where only durations are known, they count
// whole.
#pragma once

#include <algorithm>

#include "diagnose/ranks/timing/waiting_calls.h"

namespace lockstep::ranks {

class WaitClock {
 public:
  // The rank was at work at this time.
  void work_at(std::int64_t time_ns) {
    if (time_ns >= open_until_) {
      waited_ns_ += static_cast<double>(open_until_ - open_since_);
      open_since_ = time_ns;
      open_until_ = time_ns;
    } else {
      open_since_ = std::max(open_since_, time_ns);
    }
  }

  // The rank began to wait at this time, which work_at() was told.
  void wait_until(std::int64_t end_ns) { open_until_ = std::max(open_until_, end_ns); }

  void wait_for(std::int64_t duration_ns) { waited_ns_ += static_cast<double>(duration_ns); }

  // Without the wait that is still open: later calls may show that it was none.
  double waited_ns() const { return waited_ns_; }

 private:
  double waited_ns_ = 0;
  std::int64_t open_since_ = 0;
  std::int64_t open_until_ = 0;
};

}  // namespace lockstep::ranks
