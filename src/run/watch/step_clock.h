// How fast a rank's steps follow each other, and what part of the time they are spent in something.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "run/watch/thresholds.h"

namespace lockstep::watch {

// The ends of the last steps.
class StepClock {
 public:
  void end_step(std::int64_t time_ns) {
    ends_[count_ % ends_.size()] = time_ns;
    ++count_;
  }
  std::uint64_t steps() const { return count_; }
  // One that has been longer than some usual steps counts as well: a rank that hangs makes no steps.
  std::optional<double> steps_per_second(std::int64_t now_ns) const {
    const std::uint64_t known = std::min<std::uint64_t>(count_, ends_.size());
    if (known < 2) return std::nullopt;
    const std::int64_t last = ends_[(count_ - 1) % ends_.size()];
    const std::int64_t first = ends_[(count_ - known) % ends_.size()];
    if (last <= first) return std::nullopt;
    const auto steps = static_cast<double>(known - 1);
    const double usual_ns = static_cast<double>(last - first) / steps;
    const bool hangs = static_cast<double>(now_ns - last) > kStepsToHang * usual_ns;
    return steps * 1e9 / static_cast<double>((hangs ? now_ns : last) - first);
  }

 private:
  std::array<std::int64_t, kStepsInRate> ends_{};
  std::uint64_t count_ = 0;
};

// The part of the last seconds that intervals cover, which come in about the order of their ends.
class TimeShare {
 public:
  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    turn_to(end_ns);
    begin_ns = std::max({begin_ns, covered_until_ns_, window_begin_ns_});
    if (end_ns <= begin_ns) return;
    covered_ns_ += end_ns - begin_ns;
    covered_until_ns_ = end_ns;
  }
  // `open_since_ns`: an interval that has not ended.
  std::optional<double> share(std::int64_t now_ns, std::optional<std::int64_t> open_since_ns) const {
    if (window_begin_ns_ == 0) return std::nullopt;
    const std::int64_t since =
        now_ns - window_begin_ns_ > 2 * kShareWindowNs ? now_ns - kShareWindowNs : window_begin_ns_;
    std::int64_t covered = since == window_begin_ns_ ? covered_ns_ : 0;
    if (open_since_ns) covered += now_ns - std::max({*open_since_ns, since, covered_until_ns_});
    if (now_ns <= since) return std::nullopt;
    return std::clamp(static_cast<double>(covered) / static_cast<double>(now_ns - since), 0.0, 1.0);
  }

 private:
  // Windows slide by halves, so that the share never stands on nothing.
  void turn_to(std::int64_t now_ns) {
    if (window_begin_ns_ == 0) window_begin_ns_ = now_ns;
    if (now_ns - window_begin_ns_ <= 2 * kShareWindowNs) return;
    const std::int64_t kept = now_ns - window_begin_ns_ > 4 * kShareWindowNs ? 0 : covered_ns_ / 2;
    window_begin_ns_ = now_ns - kShareWindowNs;
    covered_ns_ = std::min(kept, kShareWindowNs);
  }

  std::int64_t window_begin_ns_ = 0;
  std::int64_t covered_ns_ = 0;
  std::int64_t covered_until_ns_ = 0;
};

}  // namespace lockstep::watch
