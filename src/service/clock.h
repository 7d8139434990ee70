// The two clocks of the service: time that has passed, and the time of day that records carry. Tests set
// both.
#pragma once

#include <chrono>
#include <cstdint>

#include "service/job/job_id.h"

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

}  // namespace lockstep::service
