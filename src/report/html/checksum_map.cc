#include "report/html/checksum_map.h"

#include <algorithm>
#include <limits>
#include <map>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/describe.h"

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

std::optional<ChecksumMap> checksum_map_of(const model::Job& job, std::size_t most_rows) {
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
  const std::size_t before = most_rows / 3;
  const std::size_t begin = first_parted > before ? first_parted - before : 0;
  for (std::size_t i = begin; i < std::min(begin + most_rows, comparable.size()); ++i) {
    map.rows.push_back(row_of(job, *comparable[i]));
  }
  return map;
}

}  // namespace lockstep::html
