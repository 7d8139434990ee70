// A clock that stands still until a test moves it, or is moved by whoever looks at it.
#pragma once

#include "service/clock.h"

namespace lockstep::service {

class FakeClock : public ServiceClock {
 public:
  Point now() const override {
    now_ += per_look;
    return now_;
  }
  std::int64_t wall_ms() const override { return wall_ms_; }

  void advance(std::chrono::milliseconds time) {
    now_ += time;
    wall_ms_ += time.count();
  }

  std::chrono::milliseconds per_look{0};  // what a look at it takes: work is as long as it looks often

 private:
  mutable Point now_ = Point(std::chrono::hours(1));
  std::int64_t wall_ms_ = now_in_ms();  // names of jobs carry the real time
};

}  // namespace lockstep::service
