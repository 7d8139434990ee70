#include "diagnose/logs/progress.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string>

#include "base/text_search/regex.h"
#include "diagnose/logs/thresholds.h"
#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

std::optional<double> positive_number(const std::optional<base::Regex::Captures>& captures) {
  if (!captures) return std::nullopt;
  const std::string& text = captures->at("value");
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && number > 0 ? std::optional(number) : std::nullopt;
}

// What a line says before its first number: bars of validation or download are not those of training.
std::string label_of(std::string_view line) {
  const std::string_view text = model::split_origin(line).text;
  return std::string(text.substr(0, text.find_first_of("0123456789%")));
}

// The points of the label that most lines have.
Progress of_one_kind(const std::map<std::string, Progress>& by_label) {
  const auto most =
      std::ranges::max_element(by_label, {}, [](const auto& labelled) { return labelled.second.size(); });
  return most == by_label.end() ? Progress() : most->second;
}

template <typename ValueOf>
Progress read_lines(std::string_view bytes, std::size_t begin, std::size_t end, const ValueOf& value_of) {
  std::map<std::string, Progress> by_label;
  for_each_line(bytes, begin, std::min(end, bytes.size()), [&](std::string_view line, LineSpan span) {
    if (const auto value = value_of(line)) by_label[label_of(line)].push_back({*value, span});
  });
  return of_one_kind(by_label);
}

double median(std::span<const ProgressPoint> points) {
  std::vector<double> values;
  for (const ProgressPoint& point : points) values.push_back(point.value);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The last part of a series is what decides: a third of it.
std::span<const ProgressPoint> last_part(const Progress& progress) {
  const std::size_t size = std::max(kMinPointsOfPart, progress.size() / 3);
  return std::span(progress).last(size);
}

}  // namespace

Progress rates_in(std::string_view bytes, std::size_t begin, std::size_t end) {
  static const base::Regex per_second = base::Regex::of_our_own(
      R"((?P<value>[\d.]+) ?(it|steps?|iters?|img|images|samples|examples|tokens|seqs?)/s)");
  static const base::Regex seconds = base::Regex::of_our_own(R"((?P<value>[\d.]+) ?s/(it|step|iter)\b)");
  static const base::Regex milliseconds = base::Regex::of_our_own(
      R"((?:time per (?:iteration|step)|(?:step|iteration|batch)[ _]time)[^\d\n]{0,12}(?P<value>[\d.]+))");
  return read_lines(bytes, begin, end, [&](std::string_view line) -> std::optional<double> {
    if (const auto rate = positive_number(per_second.capture(line))) return rate;
    auto time = positive_number(seconds.capture(line));
    if (!time) time = positive_number(milliseconds.capture(line));
    return time ? std::optional(1 / *time) : std::nullopt;
  });
}

Progress losses_in(std::string_view bytes, std::size_t begin, std::size_t end) {
  static const base::Regex loss =
      base::Regex::of_our_own(R"(\bloss\b[\x27"]?[ :=(]+[\x27"]?(?P<value>\d+(\.\d+)?(e[+-]?\d+)?)\b)");
  return read_lines(bytes, begin, end,
                    [&](std::string_view line) { return positive_number(loss.capture(line)); });
}

std::optional<LineSpan> where_rate_fell(const Progress& rates) {
  if (rates.size() < kMinPoints) return std::nullopt;
  const auto last = last_part(rates);
  const auto before = std::span(rates).first(rates.size() - last.size());
  const double usual = median(rates.size() < kManyPoints ? before : before.first(last.size()));
  // Of many some are wild, and their middle decides; of few each must be low.
  const bool stays =
      rates.size() < kManyPoints
          ? std::ranges::all_of(last,
                                [&](const ProgressPoint& point) { return point.value < kFallenRate * usual; })
          : median(last) < kFallenRate * usual;
  return stays ? std::optional(last.front().line) : std::nullopt;
}

std::optional<LineSpan> where_loss_rose(const Progress& losses) {
  if (losses.size() < kMinPoints) return std::nullopt;
  const auto last = last_part(losses);
  const auto before = std::span(losses).first(losses.size() - last.size());
  // Early losses are high; what it had come down to is told by the later half of them.
  const auto recent = before.last((before.size() + 1) / 2);
  const double usual = median(recent);
  const bool jumps_about = std::ranges::any_of(
      recent, [&](const ProgressPoint& point) { return point.value > kCalmLoss * usual; });
  if (jumps_about) return std::nullopt;
  const double limit = kRisenLoss * usual;
  const bool stays =
      std::ranges::all_of(last, [&](const ProgressPoint& point) { return point.value > limit; });
  return stays ? std::optional(last.front().line) : std::nullopt;
}

std::optional<LineSpan> where_loss_grew(const Progress& first, const Progress& last) {
  if (first.size() < kMinPointsToGrow || last.size() < kMinPointsToGrow) return std::nullopt;
  const double at_start = median(std::span(first).first(kPointsAtAnEnd));
  const double at_end = median(std::span(last).last(kPointsAtAnEnd));
  return at_end >= kGrownLoss * at_start ? std::optional(last.back().line) : std::nullopt;
}

}  // namespace lockstep::logs
