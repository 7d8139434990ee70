// When an event was, where its times can be believed. A damaged file may hold any number; differences of
// those that pass here cannot overflow.
#pragma once

#include "model/event.h"

namespace lockstep::ranks {

inline constexpr std::int64_t kFarthestTime = std::int64_t{1} << 62;  // the year 2116

inline bool is_time(std::int64_t time_ns) {
  return time_ns >= 0 && time_ns < kFarthestTime;
}

inline bool has_duration(const model::Event& event) {
  return is_time(event.begin_ns) && is_time(event.end_ns) && event.begin_ns <= event.end_ns;
}

inline std::int64_t duration_of(const model::Event& event) {
  return event.end_ns - event.begin_ns;
}

}  // namespace lockstep::ranks
