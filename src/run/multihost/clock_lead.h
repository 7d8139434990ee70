// How far the clock of another host is before this one's, from questions and answers.
#pragma once

#include <cstdint>
#include <optional>

namespace lockstep::multihost {

class ClockLead {
 public:
  // We asked at `asked_ns`, it was `there_ns` there, and the answer came at `came_ns`. A quick answer tells
  // more than a slow one; a slow one counts when no quick one has come for long.
  void take(std::int64_t asked_ns, std::int64_t there_ns, std::int64_t came_ns) {
    const std::int64_t took = came_ns - asked_ns;
    if (took < 0) return;  // our own clock was set back meanwhile
    const bool is_better = !took_ns_ || took <= 2 * *took_ns_;
    const bool is_old = took_ns_ && came_ns - measured_ns_ > kOldNs;
    if (!is_better && !is_old) return;
    took_ns_ = took;
    measured_ns_ = came_ns;
    lead_ns_ = there_ns - (asked_ns + took / 2);
  }
  std::int64_t ns() const { return lead_ns_; }

 private:
  static constexpr std::int64_t kOldNs = 60'000'000'000;

  std::optional<std::int64_t> took_ns_;
  std::int64_t measured_ns_ = 0;
  std::int64_t lead_ns_ = 0;
};

}  // namespace lockstep::multihost
