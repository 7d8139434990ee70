// The clocks of the records.
#pragma once

#include <cstdint>
#include <time.h>

namespace lockstep::recorder {

inline std::uint64_t clock_now_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U + static_cast<std::uint64_t>(time.tv_nsec);
}

inline std::uint64_t monotonic_now_ns() {
  return clock_now_ns(CLOCK_MONOTONIC);
}

inline std::uint64_t wall_now_ns() {
  return clock_now_ns(CLOCK_REALTIME);
}

}  // namespace lockstep::recorder
