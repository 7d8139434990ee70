#include "report/html/log_excerpts.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/escape.h"
#include "base/lines.h"
#include "base/text_search/regex.h"
#include "model/line_origin.h"

namespace lockstep::html {

namespace {

constexpr std::size_t kLongestLine = 4096;  // a longer one is no progress line

struct Patterns {
  base::Regex loss = base::Regex::of_our_own(
      R"re(\bloss["']?\s*(?:[:=]|\bis\b)?\s*(-?[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|nan|-?inf)\b)re");
  base::Regex step = base::Regex::of_our_own(
      R"re(\b(?:global_?step|step|iteration|iter|batch)["']?\s*[:=]?\s*\[?\s*([0-9]{1,12})\b)re");
  // Not the fraction of one that some trainers print beside every step.
  base::Regex epoch =
      base::Regex::of_our_own(R"re(\bepoch["']?\s*[:=]?\s*\[?\s*([0-9]{1,9})(?:[^.0-9]|$))re");
  base::Regex rank = base::Regex::of_our_own(R"re(\brank["']?\s*[:= ]\s*([0-9]{1,6})\b)re");
};

std::optional<std::string_view> first_group(const base::Regex& regex, std::string_view text) {
  const auto match = regex.find(text, 0);
  if (!match) return std::nullopt;
  return text.substr(match->chosen.begin, match->chosen.end - match->chosen.begin);
}

template <typename Number>
std::optional<Number> number_in(std::optional<std::string_view> text) {
  Number number{};
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc{}) {
    return std::nullopt;
  }
  return number;
}

bool may_tell_a_loss(std::string_view line) {
  return line.size() <= kLongestLine &&
         (line.find("loss") != std::string_view::npos || line.find("Loss") != std::string_view::npos ||
          line.find("LOSS") != std::string_view::npos);
}

struct Counted {
  LossCount by = LossCount::kLine;
  std::optional<std::int64_t> number = {};
};

Counted counted_in(const Patterns& patterns, std::string_view line) {
  if (const auto step = number_in<std::int64_t>(first_group(patterns.step, line)))
    return {LossCount::kStep, step};
  if (const auto epoch = number_in<std::int64_t>(first_group(patterns.epoch, line)))
    return {LossCount::kEpoch, epoch};
  return {};
}

// Keeps every stride-th point; the stride doubles when there is no room, so any length of log fits.
class BoundedCurve {
 public:
  // The first line tells what all are counted by.
  void add(const Counted& counted, double loss, std::size_t max_points) {
    if (count_ == 0) by_ = counted.by;
    const LossPoint point{.step = counted.by == by_ ? counted.number.value_or(count_) : count_, .loss = loss};
    last_ = point;
    if (count_++ % stride_ == 0) points_.push_back(point);
    if (points_.size() <= max_points) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points_.size(); i += 2) points_[kept++] = points_[i];
    points_.resize(kept);
    stride_ *= 2;
  }

  LossCount by() const { return by_; }

  std::vector<LossPoint> take() && {
    if (last_ && points_.back().step != last_->step) points_.push_back(*last_);
    return std::move(points_);
  }

 private:
  LossCount by_ = LossCount::kStep;
  std::vector<LossPoint> points_;
  std::optional<LossPoint> last_;
  std::int64_t count_ = 0;
  std::int64_t stride_ = 1;
};

}  // namespace

std::vector<LossCurve> loss_curves_in(std::span<const readers::LogFile> logs, std::size_t max_points) {
  const Patterns patterns;
  std::map<int, BoundedCurve> curves;
  for (const readers::LogFile& log : logs) {
    base::Lines lines(log.bytes.view());
    while (const auto line = lines.next()) {
      if (!may_tell_a_loss(*line)) continue;
      const auto loss = number_in<double>(first_group(patterns.loss, *line));
      if (!loss) continue;
      std::optional<int> rank = model::split_origin(*line).origin.rank;
      if (!rank) rank = log.rank;
      if (!rank) rank = number_in<int>(first_group(patterns.rank, *line));
      curves[rank.value_or(model::kUnknownRank)].add(counted_in(patterns, *line), *loss, max_points);
    }
  }
  std::vector<LossCurve> result;
  for (auto& [rank, curve] : curves)
    result.push_back({.rank = rank, .counted = curve.by(), .points = std::move(curve).take()});
  return result;
}

std::optional<LogProgress> progress_in(std::string_view end_of_log) {
  static const Patterns patterns;
  std::optional<LogProgress> progress;
  base::Lines lines(end_of_log);
  while (const auto line = lines.next()) {
    if (line->size() > kLongestLine) continue;
    const auto loss = number_in<double>(first_group(patterns.loss, *line));
    const Counted counted = counted_in(patterns, *line);
    if (!loss && !counted.number) continue;
    if (!progress) progress.emplace();
    if (counted.number) progress->number = counted.number;
    if (counted.number) progress->counted = counted.by;
    if (loss) progress->loss = loss;
  }
  return progress;
}

namespace {

// Where a kept line lies, and how much it is worth: lines near evidence go last when there is too much.
struct Place {
  std::string_view text;
  std::int64_t number = 0;
  bool is_near_evidence = false;
};

struct Allowance {
  std::size_t lines = 0;
  std::size_t bytes = 0;
};

using Wanted = std::set<std::int64_t>;

bool is_near(const Wanted& wanted, std::int64_t number, std::int64_t distance) {
  const auto next = wanted.lower_bound(number - distance);
  return next != wanted.end() && *next <= number + distance;
}

// A log that was condensed while it came knows its own line numbers.
class LineNumbers {
 public:
  explicit LineNumbers(const readers::LogFile& log) : log_(log), has_marks_(log.lines.end() > 0) {}

  std::int64_t of(std::string_view line, std::uint32_t counted) const {
    if (!has_marks_) return counted;
    const std::string_view text = log_.bytes.view();
    return log_.lines.line_at(text, static_cast<std::size_t>(line.data() - text.data()));
  }

 private:
  const readers::LogFile& log_;
  bool has_marks_;
};

struct Chosen {
  std::vector<Place> places;
  std::int64_t lines_in_all = 0;
};

Chosen choose(const readers::LogFile& log, const Wanted& wanted, const Allowance& allowance,
              const LogBounds& bounds) {
  const std::size_t head = allowance.lines / 4;
  const std::size_t tail = allowance.lines - head;
  const auto distance = static_cast<std::int64_t>(bounds.around_evidence);
  const LineNumbers numbers(log);
  Chosen chosen;
  std::deque<Place> last;
  base::Lines lines(log.bytes.view());
  while (const auto line = lines.next()) {
    const Place place{.text = *line, .number = numbers.of(*line, lines.number()), .is_near_evidence = false};
    chosen.lines_in_all = place.number;
    if (is_near(wanted, place.number, distance)) {
      chosen.places.push_back({place.text, place.number, true});
    } else if (lines.number() <= head) {
      chosen.places.push_back(place);
    } else {
      last.push_back(place);
      if (last.size() > tail) last.pop_front();
    }
  }
  chosen.places.insert(chosen.places.end(), last.begin(), last.end());
  std::ranges::stable_sort(chosen.places, {}, &Place::number);
  return chosen;
}

void keep_to(std::vector<Place>& places, const Allowance& allowance, std::size_t max_line_bytes) {
  const auto size_of = [&](const Place& place) { return std::min(place.text.size(), max_line_bytes) + 16; };
  std::size_t bytes = 0;
  for (const Place& place : places) bytes += size_of(place);
  std::size_t near_evidence_left = 0;
  for (const Place& place : places) near_evidence_left += place.is_near_evidence ? 1 : 0;
  for (const bool may_drop_evidence : {false, true}) {
    std::erase_if(places, [&](const Place& place) {
      const bool is_too_much =
          bytes > allowance.bytes || (may_drop_evidence && near_evidence_left > 4 * allowance.lines);
      if (!is_too_much || (place.is_near_evidence && !may_drop_evidence)) return false;
      bytes -= size_of(place);
      if (place.is_near_evidence) --near_evidence_left;
      return true;
    });
  }
}

LogLine line_from(const Place& place, const readers::LogFile& log, std::size_t max_line_bytes) {
  const std::string_view shown = place.text.substr(0, max_line_bytes);
  const model::OwnedLine owned = model::split_origin(shown);
  return {.number = place.number,
          .rank = owned.origin.rank ? owned.origin.rank : log.rank,
          .time_ns = owned.time_ns,
          .text = base::to_valid_utf8(shown),
          .bytes_cut = place.text.size() - shown.size()};
}

}  // namespace

LogExcerpts excerpts_of(std::span<const readers::LogFile> logs, const model::Verdict& verdict,
                        const LogBounds& bounds) {
  std::map<std::string, Wanted, std::less<>> wanted;
  for (const model::Finding& finding : verdict.findings) {
    for (const model::Evidence& evidence : finding.evidence) {
      if (evidence.line) wanted[evidence.file].insert(*evidence.line);
    }
  }
  std::vector<const readers::LogFile*> order;
  for (const readers::LogFile& log : logs) order.push_back(&log);
  std::stable_partition(order.begin(), order.end(),
                        [&](const readers::LogFile* log) { return wanted.contains(log->name); });

  LogExcerpts result;
  const std::size_t kept = std::min(order.size(), bounds.max_files);
  result.files_left_out = order.size() - kept;
  if (kept == 0) return result;
  constexpr std::size_t kMaxLinesOfAFile = 1200;
  const Allowance allowance{.lines = std::clamp<std::size_t>(bounds.max_lines / kept, 4, kMaxLinesOfAFile),
                            .bytes = bounds.max_bytes / kept};
  for (const readers::LogFile* log : std::span(order).first(kept)) {
    const auto found = wanted.find(log->name);
    Chosen chosen = choose(*log, found == wanted.end() ? Wanted{} : found->second, allowance, bounds);
    keep_to(chosen.places, allowance, bounds.max_line_bytes);
    LogExcerpt excerpt{
        .file = log->name, .rank = log->rank, .lines_in_all = chosen.lines_in_all, .lines = {}};
    for (const Place& place : chosen.places) {
      excerpt.lines.push_back(line_from(place, *log, bounds.max_line_bytes));
    }
    result.files.push_back(std::move(excerpt));
  }
  return result;
}

}  // namespace lockstep::html
