#include "report/html/rank_tables.h"

#include <algorithm>
#include <limits>
#include <map>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/timing/waiting_calls.h"

namespace lockstep::html {

namespace {

using ranks::Meeting;

std::uint64_t output_of(const model::Job& job, const model::Event& event) {
  return event.checksums == model::ChecksumsId::kNone
             ? 0
             : job.checksums[static_cast<std::size_t>(event.checksums)].output;
}

std::map<std::uint64_t, std::size_t> results_of(const model::Job& job, const Meeting& meeting) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const ranks::EventPlace& place : meeting.arrivals) {
    if (const std::uint64_t output = output_of(job, ranks::event_at(job, place)); output != 0)
      ++counts[output];
  }
  return counts;
}

ChecksumRow row_of(const model::Job& job, const Meeting& meeting) {
  const std::map<std::uint64_t, std::size_t> counts = results_of(job, meeting);
  std::vector<std::pair<std::size_t, std::uint64_t>> by_count;
  for (const auto& [output, count] : counts) by_count.emplace_back(count, output);
  std::ranges::sort(by_count, std::greater<>());
  std::map<std::uint64_t, std::uint8_t> number_of;
  for (std::size_t i = 0; i < by_count.size(); ++i) {
    number_of[by_count[i].second] =
        static_cast<std::uint8_t>(std::min<std::size_t>(i + 1, std::numeric_limits<std::uint8_t>::max()));
  }
  ChecksumRow row{.group = ranks::describe(job, meeting.communicator),
                  .sequence = meeting.sequence,
                  .results = std::vector<std::uint8_t>(job.ranks.size(), 0)};
  for (const ranks::EventPlace& place : meeting.arrivals) {
    const std::uint64_t output = output_of(job, ranks::event_at(job, place));
    if (output != 0) row.results[place.rank] = number_of[output];
  }
  return row;
}

}  // namespace

std::optional<ChecksumMap> checksum_map_of(const model::Job& job, std::size_t max_rows) {
  if (job.checksums.empty()) return std::nullopt;
  const ranks::Alignment alignment = ranks::align(job);
  const auto divergence = ranks::find_divergence(job, alignment);
  ChecksumMap map;
  std::vector<const Meeting*> comparable;
  std::size_t first_parted = 0;
  for (const Meeting& meeting : alignment.meetings()) {
    const auto results = results_of(job, meeting);
    std::size_t ranks = 0;
    for (const auto& [output, count] : results) ranks += count;
    if (ranks < 2) continue;
    if (divergence && meeting.communicator == divergence->meeting.communicator &&
        meeting.sequence == divergence->meeting.sequence) {
      first_parted = comparable.size();
    }
    comparable.push_back(&meeting);
  }
  map.compared = comparable.size();
  if (map.compared == 0) return std::nullopt;
  map.parted = divergence ? divergence->meetings : 0;
  const std::size_t before = max_rows / 3;
  const std::size_t begin = first_parted > before ? first_parted - before : 0;
  for (std::size_t i = begin; i < std::min(begin + max_rows, comparable.size()); ++i) {
    map.rows.push_back(row_of(job, *comparable[i]));
  }
  return map;
}

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

std::vector<StepTimes> step_times_of(const model::Job& job, std::size_t max_values) {
  const Range range = range_of(job);
  if (range.first == model::kNoSequence) return {};
  const std::uint64_t steps_each = (range.last - range.first) / max_values + 1;
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
