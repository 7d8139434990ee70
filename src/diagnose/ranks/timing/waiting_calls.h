// In which calls a rank waits for others, looked up once for a whole job.
//
// No member leaves a synchronising collective before all have come: ends lie close together, and who comes
// last waits least. A broadcast's root or a reduce's leaf may leave at once, so rooted collectives tell
// nothing.
#pragma once

#include <vector>

#include "model/event.h"
#include "model/job.h"

namespace lockstep::ranks {

// When an event was, where its times can be believed. A damaged file may hold any number; differences of
// those that pass here cannot overflow.
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

class WaitingCalls {
 public:
  explicit WaitingCalls(const model::Job& job);

  bool is_synchronising(const model::Event& event) const {
    return event.kind == model::EventKind::kCollective && kind_of(event) == Kind::kSynchronising;
  }
  // A receive waits for one other rank.
  bool is_waiting(const model::Event& event) const {
    return event.kind != model::EventKind::kActivity && kind_of(event) != Kind::kOther;
  }

 private:
  enum class Kind : std::uint8_t { kOther, kSynchronising, kReceive };
  Kind kind_of(const model::Event& event) const {
    const auto id = static_cast<std::size_t>(event.collective);
    return id < by_collective_.size() ? by_collective_[id] : Kind::kOther;
  }

  std::vector<Kind> by_collective_;
};

}  // namespace lockstep::ranks
