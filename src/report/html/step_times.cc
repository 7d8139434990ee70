#include "report/html/step_times.h"

#include <algorithm>

#include "diagnose/ranks/timing/waiting_calls.h"

namespace lockstep::html {
namespace {

bool is_timed_step(const model::Event& event) {
  return event.kind == model::EventKind::kActivity && event.activity == model::Activity::kStep &&
         event.sequence != model::kNoSequence && ranks::has_duration(event);
}

struct Range {
  std::uint64_t first = model::kNoSequence;
  std::uint64_t last = 0;
};

Range range_of(const model::Job& job) {
  Range range;
  for (const model::RankHistory& history : job.ranks) {
    for (const model::Event& event : history.events) {
      if (!is_timed_step(event)) continue;
      range.first = std::min(range.first, event.sequence);
      range.last = std::max(range.last, event.sequence);
    }
  }
  return range;
}

}  // namespace

std::vector<StepTimes> step_times_of(const model::Job& job, std::size_t most_values) {
  const Range range = range_of(job);
  if (range.first == model::kNoSequence) return {};
  const std::uint64_t steps_each = (range.last - range.first) / most_values + 1;
  std::vector<StepTimes> all;
  for (const model::RankHistory& history : job.ranks) {
    std::vector<double> sums;
    std::vector<int> counts;
    for (const model::Event& event : history.events) {
      if (!is_timed_step(event)) continue;
      const auto place = static_cast<std::size_t>((event.sequence - range.first) / steps_each);
      if (place >= sums.size()) {
        sums.resize(place + 1, 0);
        counts.resize(place + 1, 0);
      }
      sums[place] += static_cast<double>(ranks::duration_of(event)) / 1e6;
      ++counts[place];
    }
    if (sums.empty()) continue;
    StepTimes times{
        .rank = history.rank.number, .first_step = range.first, .steps_each = steps_each, .milliseconds = {}};
    for (std::size_t i = 0; i < sums.size(); ++i) {
      times.milliseconds.push_back(counts[i] == 0 ? -1.0F : static_cast<float>(sums[i] / counts[i]));
    }
    all.push_back(std::move(times));
  }
  return all;
}

}  // namespace lockstep::html
