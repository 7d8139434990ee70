#include "diagnose/logs/first_step.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/text_search/regex.h"

namespace lockstep::logs {
namespace {

using Step = std::pair<std::uint64_t, std::uint64_t>;  // epoch, or 0 where none is named, and step

std::optional<std::uint64_t> number_named(const base::Regex& regex, const std::string& line) {
  const auto captures = regex.capture(line);
  if (!captures) return std::nullopt;
  const std::string& text = captures->at("number");
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<Step> step_in(const std::string& line) {
  static const base::Regex kStep =
      base::Regex::of_our_own(R"((\b|_)(step|iter|iteration|batch|it)s?\b["']?[ :=#\[(]+(?P<number>\d+)\b)");
  static const base::Regex kEpoch = base::Regex::of_our_own(R"(\bepoch\b["']?[ :=#\[(]+(?P<number>\d+)\b)");
  const auto step = number_named(kStep, line);
  const auto epoch = number_named(kEpoch, line);
  if (!step) return std::nullopt;
  return Step{epoch.value_or(0), *step};
}

std::optional<std::map<int, Step>> first_steps(const Candidate& candidate, std::span<const LogText> logs) {
  std::map<int, Step> first;
  for (const Sighting* sighting : candidate.sightings) {
    const LineSpan line = sighting->line;
    const auto step =
        step_in(std::string(logs[sighting->log].bytes.substr(line.begin, line.end - line.begin)));
    if (!step || !sighting->rank) return std::nullopt;
    const auto [place, is_new] = first.try_emplace(*sighting->rank, *step);
    if (!is_new) place->second = std::min(place->second, *step);
  }
  return first;
}

}  // namespace

std::set<int> first_by_step(const Candidate& candidate, std::span<const LogText> logs) {
  const auto first = first_steps(candidate, logs);
  if (!first || first->size() < 2) return {};
  const auto earliest =
      std::ranges::min_element(*first, {}, [](const auto& one) { return one.second; })->second;
  std::set<int> ranks;
  for (const auto& [rank, step] : *first) {
    if (step == earliest) ranks.insert(rank);
  }
  return ranks.size() < first->size() ? ranks : std::set<int>();
}

}  // namespace lockstep::logs
