#include "diagnose/logs/line_sources.h"

#include <algorithm>

#include "base/text_search/regex.h"
#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

// Of many logs each needs to show less.
constexpr std::size_t kMostSamples = 16;
constexpr std::size_t kLeastSamples = 2;
constexpr std::size_t kMostLinesOfSample = 48;
constexpr std::size_t kLeastLinesOfSample = 4;
constexpr std::size_t kLinesOfAllLogs = 50'000;
constexpr std::size_t kLongestSampled = 256;  // of a line
constexpr std::size_t kMostHosts = 4096;
// A job that names a hundred thousand ranks is one whose prefix was misread.
constexpr int kHighestRank = 100'000;

// How much to look at of each log.
struct Sampling {
  explicit Sampling(std::size_t logs) {
    const std::size_t lines = kLinesOfAllLogs / std::max<std::size_t>(1, logs);
    lines_of_sample = std::clamp(lines / kMostSamples, kLeastLinesOfSample, kMostLinesOfSample);
    samples = std::clamp(lines / lines_of_sample, kLeastSamples, kMostSamples);
  }

  std::size_t lines_of_sample = 0;
  std::size_t samples = 0;
};

// Lines that follow each other, at places spread evenly over the log.
std::vector<std::string_view> sampled_lines(std::string_view bytes, const Sampling& sampling) {
  std::vector<std::string_view> lines;
  for (std::size_t sample = 0; sample < sampling.samples; ++sample) {
    std::size_t begin = bytes.size() / sampling.samples * sample;
    if (sample > 0) begin = std::min(bytes.find('\n', begin), bytes.size() - 1) + 1;
    for (std::size_t i = 0; i < sampling.lines_of_sample && begin < bytes.size(); ++i) {
      const std::size_t end = end_of_line(bytes, begin);
      if (end > begin) lines.push_back(bytes.substr(begin, std::min(end - begin, kLongestSampled)));
      begin = end + 1;
    }
    const bool reached_end_of_small_log = begin >= bytes.size();
    if (reached_end_of_small_log) break;
  }
  return lines;
}

std::string_view text_of(std::string_view bytes, LineSpan line) {
  return bytes.substr(line.begin, std::min(line.end - line.begin, kLongestSampled));
}

// torchrun's summary has a few lines for each rank that failed, the rank before its end:
//   rank      : 3 (local_rank: 1)
//   exitcode  : -6 (pid: 9697)  (SIGABRT)
std::optional<int> rank_of_torchruns_item(std::string_view bytes, LineSpan line) {
  static const base::Regex item = base::Regex::of_our_own(R"(^\s*(exitcode|error_file|traceback) *: )");
  static const base::Regex rank =
      base::Regex::of_our_own(R"(^\s*rank *: (?P<rank>\d{1,6}) \(local_rank: \d+\))");
  constexpr int kLinesBetween = 4;
  if (!item.found_in(text_of(bytes, line))) return std::nullopt;
  for (int i = 0; i < kLinesBetween && line.begin > 1; ++i) {
    line = line_around(bytes, line.begin - 2);
    if (const auto found = rank.capture(text_of(bytes, line))) return std::stoi(found->at("rank"));
  }
  return std::nullopt;
}

}  // namespace

LineSources::LineSources(std::span<const LogText> logs) : logs_(logs), learned_(logs.size()) {
  const Sampling sampling(logs.size());
  for (std::size_t log = 0; log < logs.size(); ++log) {
    if (logs[log].rank) ranks_.insert(*logs[log].rank);
    const std::vector<std::string_view> lines = sampled_lines(logs[log].bytes, sampling);
    const bool is_told = logs[log].rank || std::ranges::any_of(lines, [](std::string_view line) {
                           const model::LineOrigin origin = model::split_origin(line).origin;
                           return origin.rank || origin.local_rank;
                         });
    if (!is_told) learned_[log] = learn_prefix(lines);
    for (const std::string_view line : lines) {
      LineSource source = of_text(log, line);
      if (source.rank && *source.rank < kHighestRank) ranks_.insert(*source.rank);
      if (!source.host.empty() && hosts_.size() < kMostHosts) hosts_.insert(std::move(source.host));
    }
    let_go(logs[log]);
  }
}

LineSource LineSources::of_text(std::size_t log, std::string_view line) const {
  const model::OwnedLine owned = model::split_origin(line);
  LineSource source{logs_[log].rank, owned.origin.host, owned.time_ns};
  if (!source.rank) source.rank = owned.origin.rank ? owned.origin.rank : owned.origin.local_rank;
  if (!source.rank) source.rank = learned_[log].rank_of(line);
  if (source.host.empty()) source.host = learned_[log].host_of(line);
  return source;
}

LineSource LineSources::at(std::size_t log, LineSpan line) const {
  const std::string_view bytes = logs_[log].bytes;
  LineSource source = of_text(log, without_terminal_codes(text_of(bytes, line)));
  if (!source.rank) source.rank = rank_of_torchruns_item(bytes, line);
  constexpr int kLinesBack = 40;
  std::size_t begin = line.begin;
  for (int i = 0; i < kLinesBack && begin > 1 && !source.time_ns; ++i) {
    const LineSpan before = line_around(bytes, begin - 2);
    if (before.begin >= begin) break;
    source.time_ns = model::split_origin(bytes.substr(before.begin, before.end - before.begin)).time_ns;
    begin = before.begin;
  }
  return source;
}

}  // namespace lockstep::logs
