// The two clocks of the service: time that has passed, and the time of day that records carry. Tests set
// both.
#pragma once

#include <chrono>
#include <cstdint>

#include "service/job/job.h"

namespace lockstep::service {

class ServiceClock {
 public:
  using Point = std::chrono::steady_clock::time_point;

  virtual ~ServiceClock() = default;
  virtual Point now() const = 0;
  virtual std::int64_t wall_ms() const = 0;
};

class SystemClock : public ServiceClock {
 public:
  Point now() const override { return std::chrono::steady_clock::now(); }
  std::int64_t wall_ms() const override { return now_in_ms(); }
};

// Work that is done once in a while: at the first look, then when so much time has passed since the last.
class Interval {
 public:
  explicit Interval(std::chrono::milliseconds length) : length_(length) {}

  bool is_over(ServiceClock::Point now) const { return now >= next_; }
  void begin(ServiceClock::Point now) { begin(now, length_); }
  void begin(ServiceClock::Point now, ServiceClock::Point::duration length) { next_ = now + length; }

  // Whether it is over; then the next one begins.
  bool is_due(ServiceClock::Point now) {
    if (!is_over(now)) return false;
    begin(now);
    return true;
  }

 private:
  std::chrono::milliseconds length_;
  ServiceClock::Point next_{};
};

}  // namespace lockstep::service
