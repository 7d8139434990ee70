#include "diagnose/logs/line_sources.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text_fields.h"
#include "base/text_search/regex.h"
#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

constexpr std::size_t kMaxColumns = 5;
constexpr std::size_t kMinLines = 24;
constexpr double kMinShareOfLines = 0.6;  // a prefix stands before this share of the lines at least
constexpr std::string_view kSeparators = " \t[](){}|:,;<>=#";

struct Word {
  Column column;
  std::string_view text;
};

bool is_a_digit(std::string_view line, std::size_t at) {
  return at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0;
}

// "03:00:07", "10.0.0.9:29500", "2026/11/18": parts of a clock, a date or an address are no words of their
// own, and no rank is counted there.
bool is_joined(std::string_view line, std::size_t at) {
  const bool joins = line[at] == ':' || line[at] == ',' || line[at] == '.' || line[at] == '/';
  return joins && at > 0 && is_a_digit(line, at - 1) && is_a_digit(line, at + 1);
}

std::size_t end_of_word(std::string_view line, std::size_t begin) {
  std::size_t end = begin;
  while (end < line.size() && (kSeparators.find(line[end]) == std::string_view::npos || is_joined(line, end)))
    ++end;
  return end;
}

std::vector<Word> first_words(std::string_view line) {
  std::vector<Word> words;
  std::size_t begin = 0;
  while (words.size() < kMaxColumns) {
    begin = line.find_first_not_of(kSeparators, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = end_of_word(line, begin);
    words.push_back(
        {{words.size(), begin == 0 ? '\0' : line[begin - 1], end == line.size() ? '\0' : line[end]},
         line.substr(begin, end - begin)});
    begin = end;
  }
  return words;
}

// What counts other things than ranks: "[Thread-3]", "pid=7", "step 4".
bool counts_something_else(std::string_view word) {
  static const base::Regex others = base::Regex::of_our_own(
      R"((^|[^a-z])(thread|thr|tid|pid|cpu|core|step|iter|iteration|epoch|batch|attempt|try|retry|layer|stage|shard|chunk|bucket|ms|sec)[-_=# ]*$)");
  return others.found_in(word);
}

// The word before the column, where nothing but a separator stands between: "pid" of "pid=7".
std::string_view word_before(std::string_view line, const Column& column) {
  if (column.index == 0 || (column.before != '=' && column.before != ' ' && column.before != ':')) return {};
  const std::vector<Word> words = first_words(line);
  return column.index < words.size() ? words[column.index - 1].text : std::string_view();
}

std::string_view word_in(std::string_view line, const Column& column) {
  for (const Word& word : first_words(line)) {
    if (word.column == column) return word.text;
  }
  return {};
}

struct Numbered {
  std::string_view stem;
  int number = 0;
};

std::optional<Numbered> numbered(std::string_view word) {
  std::size_t begin = word.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(word[begin - 1])) != 0) --begin;
  const auto number = base::number_in<int>(word.substr(begin));
  constexpr std::size_t kMaxDigits = 5;
  if (!number || word.size() - begin > kMaxDigits) return std::nullopt;
  return Numbered{word.substr(0, begin), *number};
}

// Ranks take turns: counters, clocks and line numbers only grow.
bool takes_turns(std::span<const int> numbers) {
  std::size_t falls = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) falls += numbers[i] < numbers[i - 1] ? 1 : 0;
  constexpr std::size_t kOneIn = 10;
  return kOneIn * falls >= numbers.size();
}

// 0 to N-1, each of them again and again.
bool is_ranks(std::span<const int> numbers) {
  const std::set<int> values(numbers.begin(), numbers.end());
  const auto count = static_cast<int>(values.size());
  constexpr std::size_t kTimesEach = 3;
  return count >= 2 && *values.begin() == 0 && *values.rbegin() == count - 1 &&
         numbers.size() >= kTimesEach * values.size() && takes_turns(numbers);
}

std::optional<std::string> stem_of_ranks(std::span<const std::string_view> words) {
  std::optional<std::string_view> stem;
  std::vector<int> numbers;
  for (const std::string_view word : words) {
    const auto parts = numbered(word);
    if (!parts || (stem && *stem != parts->stem)) return std::nullopt;
    stem = parts->stem;
    numbers.push_back(parts->number);
  }
  if (!stem || !is_ranks(numbers)) return std::nullopt;
  return std::string(*stem);
}

bool is_like_host(std::string_view word) {
  const auto is = [&](int (*kind)(int)) {
    return std::ranges::any_of(word, [&](unsigned char c) { return kind(c) != 0; });
  };
  const bool is_address = std::ranges::count(word, '.') == 3 && !is(std::isalpha);
  return (is(std::isdigit) && is(std::islower) && !is(std::isupper) && word.find('/') == word.npos) ||
         is_address;
}

bool is_hosts(std::span<const std::string_view> words) {
  const std::set<std::string_view> values(words.begin(), words.end());
  constexpr std::size_t kTimesEach = 3;
  return values.size() >= 2 && words.size() >= kTimesEach * values.size() &&
         std::ranges::all_of(values, is_like_host);
}

}  // namespace

std::optional<int> LearnedPrefix::rank_of(std::string_view line) const {
  if (!rank) return std::nullopt;
  const auto parts = numbered(word_in(line, *rank));
  return parts && parts->stem == rank_stem ? std::optional(parts->number) : std::nullopt;
}

std::string_view LearnedPrefix::host_of(std::string_view line) const {
  if (!host) return {};
  const std::string_view word = word_in(line, *host);
  return is_like_host(word) ? word : std::string_view();
}

LearnedPrefix learn_prefix(std::span<const std::string_view> lines) {
  LearnedPrefix learned;
  if (lines.size() < kMinLines) return learned;
  std::map<Column, std::vector<std::string_view>> columns;
  for (const std::string_view line : lines) {
    for (const Word& word : first_words(line)) columns[word.column].push_back(word.text);
  }
  for (const auto& [column, words] : columns) {
    if (static_cast<double>(words.size()) < kMinShareOfLines * static_cast<double>(lines.size())) continue;
    const auto stem = stem_of_ranks(words);
    const bool is_another_count =
        stem && (counts_something_else(*stem) ||
                 (stem->empty() && std::ranges::any_of(lines, [&, at = column](auto line) {
                    return counts_something_else(word_before(line, at));
                  })));
    if (is_another_count) continue;
    if (stem && !learned.rank) {
      learned.rank = column;
      learned.rank_stem = *stem;
    } else if (!stem && !learned.host && is_hosts(words)) {
      learned.host = column;
    }
  }
  return learned;
}

namespace {

// Of many logs each needs to show less.
constexpr std::size_t kMaxSamples = 16;
constexpr std::size_t kMinSamples = 2;
constexpr std::size_t kMaxLinesOfSample = 48;
constexpr std::size_t kMinLinesOfSample = 4;
constexpr std::size_t kLinesOfAllLogs = 50'000;
constexpr std::size_t kLongestSampled = 256;  // of a line
constexpr std::size_t kMaxHosts = 4096;
// A job that names a hundred thousand ranks is one whose prefix was misread.
constexpr int kHighestRank = 100'000;

// How much to look at of each log.
struct Sampling {
  explicit Sampling(std::size_t logs) {
    const std::size_t lines = kLinesOfAllLogs / std::max<std::size_t>(1, logs);
    lines_of_sample = std::clamp(lines / kMaxSamples, kMinLinesOfSample, kMaxLinesOfSample);
    samples = std::clamp(lines / lines_of_sample, kMinSamples, kMaxSamples);
  }

  std::size_t lines_of_sample = 0;
  std::size_t samples = 0;
};

// Lines that follow each other, at places spread evenly over the log.
std::vector<std::string_view> sampled_lines(std::string_view bytes, const Sampling& sampling) {
  std::vector<std::string_view> lines;
  for (std::size_t sample = 0; sample < sampling.samples; ++sample) {
    std::size_t begin = bytes.size() / sampling.samples * sample;
    if (sample > 0) {  // of a line that goes on and on the middle is as good
      const std::size_t newline = bytes.substr(begin, kLongestLine).find('\n');
      begin += newline == std::string_view::npos ? 0 : newline + 1;
    }
    for (std::size_t i = 0; i < sampling.lines_of_sample && begin < bytes.size(); ++i) {
      const std::size_t end = end_of_line(bytes.substr(0, begin + kLongestLine), begin);
      if (end > begin) lines.push_back(bytes.substr(begin, std::min(end - begin, kLongestSampled)));
      begin = end + 1;
    }
    const bool reached_end_of_small_log = begin >= bytes.size();
    if (reached_end_of_small_log) break;
  }
  return lines;
}

// A clock before the prefix is none of its words.
std::string_view without_time(std::string_view line) {
  model::take_time(line);
  return line;
}

std::vector<std::string_view> without_times(std::vector<std::string_view> lines) {
  for (std::string_view& line : lines) line = without_time(line);
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

std::set<int> ranks_told_in(std::span<const std::string_view> lines) {
  std::set<int> ranks;
  for (const std::string_view line : lines) {
    const model::LineOrigin origin = model::split_origin(line).origin;
    if (const auto rank = origin.rank ? origin.rank : origin.local_rank) ranks.insert(*rank);
  }
  return ranks;
}

}  // namespace

LineSources::LineSources(std::span<const LogText> logs)
    : logs_(logs), learned_(logs.size()), of_file_(logs.size()) {
  const Sampling sampling(logs.size());
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const std::vector<std::string_view> lines = sampled_lines(logs[log].bytes, sampling);
    const std::set<int> told = ranks_told_in(lines);
    // What is called a worker may be a host, whose file holds the lines of several ranks.
    if (told.size() < 2) of_file_[log] = logs[log].rank;
    if (of_file_[log]) ranks_.insert(*of_file_[log]);
    const bool is_told = of_file_[log] || !told.empty();
    if (!is_told) learned_[log] = learn_prefix(without_times(lines));
    for (const std::string_view line : lines) {
      LineSource source = of_text(log, line);
      if (source.rank && *source.rank < kHighestRank) ranks_.insert(*source.rank);
      if (!source.host.empty() && hosts_.size() < kMaxHosts) hosts_.insert(std::move(source.host));
    }
    let_go(logs[log]);
  }
}

LineSource LineSources::of_text(std::size_t log, std::string_view line) const {
  const model::OwnedLine owned = model::split_origin(line);
  LineSource source{of_file_[log], owned.origin.host, owned.time_ns};
  if (!source.rank) source.rank = owned.origin.rank ? owned.origin.rank : owned.origin.local_rank;
  if (!source.rank) source.rank = learned_[log].rank_of(without_time(line));
  if (source.host.empty()) source.host = learned_[log].host_of(without_time(line));
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
