#include "diagnose/still_running.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "diagnose/quiet_job.h"
#include "readers/rank_in_name.h"

namespace lockstep::diagnose {
namespace {

std::vector<LogPlace> places_of(const readers::ReadResult& read) {
  std::vector<LogPlace> places;
  for (const readers::LogFile& log : read.logs) {
    const std::string_view bytes = log.bytes.view();
    const std::int64_t lines = log.lines.line_at(bytes, bytes.size()) - 1;
    places.push_back({.path = log.name, .rank = log.rank, .lines = static_cast<std::uint64_t>(lines)});
  }
  for (const std::string& name : read.empty_files) {
    const readers::RankInName told = readers::rank_in_name(name);
    places.push_back({.path = name, .rank = told.is_guess ? std::nullopt : told.rank});
  }
  return places;
}

model::Evidence last_line_of(const readers::ReadResult& read, std::size_t place) {
  model::Evidence last_line;
  if (place >= read.logs.size()) {
    last_line.file = read.empty_files[place - read.logs.size()];
    return last_line;
  }
  const readers::LogFile& log = read.logs[place];
  std::string_view bytes = log.bytes.view();
  bytes = bytes.substr(0, bytes.find_last_not_of("\r\n") + 1);
  const std::size_t newline = bytes.find_last_of("\r\n");
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  constexpr std::size_t kLongest = 600;
  last_line.file = log.name;
  last_line.line = log.lines.line_at(log.bytes.view(), begin);
  last_line.rank = log.rank;
  last_line.text = bytes.substr(begin, kLongest);
  return last_line;
}

}  // namespace

std::optional<Hanging> look_whether_it_hangs(const readers::ReadResult& read, logs::Stage stage,
                                             const catalogue::Catalogue& catalogue) {
  const std::vector<LogPlace> places = places_of(read);
  const auto job = find_quiet_job(places);
  if (!job) return std::nullopt;
  auto finding = finding_about(*job, stage, catalogue, last_line_of(read, job->last_log));
  if (!finding) return std::nullopt;
  return Hanging{.finding = *std::move(finding), .to_learn_more = how_to_see_more(*job)};
}

}  // namespace lockstep::diagnose
