#include "diagnose/logs/context.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "catalogue/version_range.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using catalogue::Condition;
using catalogue::Fact;
using catalogue::Pattern;
using catalogue::version_from;
using catalogue::VersionRange;

std::optional<Stage> stage_named(std::string_view fact) {
  if (fact == "stage.build") return Stage::kBuild;
  if (fact == "stage.import") return Stage::kImport;
  if (fact == "stage.setup") return Stage::kSetup;
  if (fact == "stage.prepare") return Stage::kPrepare;
  if (fact == "stage.train") return Stage::kTrain;
  return std::nullopt;
}

std::optional<double> number_from(std::string_view text) {
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

Context::Context(const Catalogue& catalogue, std::span<const LogText> logs, std::span<const Scan> scans)
    : stages_(scans.size()) {
  RegexCache regexes;
  for (std::size_t log = 0; log < scans.size(); ++log) {
    for (const auto& [number, line] : scans[log].facts) {
      const Fact& fact = catalogue.facts()[number];
      facts_.insert(fact.name);
      if (const auto stage = stage_named(fact.name)) stages_[log].emplace(*stage, line.begin);
      for (const std::string& pattern : fact.regexes) {
        if (pattern.find("(?P<") == std::string::npos) continue;
        const auto captures =
            regexes[pattern].capture(logs[log].bytes.substr(line.begin, line.end - line.begin));
        if (captures) captures_.insert(captures->begin(), captures->end());
      }
    }
    let_go(logs[log]);
  }
}

Stage Context::stage_at(std::size_t log, std::size_t offset) const {
  Stage before = Stage::kUnknown;
  Stage furthest = Stage::kUnknown;
  for (const auto& [stage, begin] : stages_[log]) {
    furthest = stage;
    if (begin <= offset) before = stage;
  }
  return before == Stage::kUnknown ? furthest : before;
}

Stage Context::furthest_stage() const {
  Stage furthest = Stage::kUnknown;
  for (const auto& begins : stages_) {
    if (!begins.empty()) furthest = std::max(furthest, begins.rbegin()->first);
  }
  return furthest;
}

bool Context::allows(const Pattern& pattern) const {
  if (pattern.framework.empty()) return true;
  // Each of these brings its own kind of log; what stands below them (NCCL, MPI, Python) is in all.
  constexpr std::array<std::string_view, 4> kFrameworks = {"pytorch", "tensorflow", "jax", "horovod"};
  const std::string_view framework =
      pattern.framework == "keras" ? std::string_view("tensorflow") : std::string_view(pattern.framework);
  const auto is_known = [&](std::string_view name) { return knows(name); };
  if (std::ranges::find(kFrameworks, framework) != kFrameworks.end() && !knows(pattern.framework) &&
      !knows(framework) && std::ranges::any_of(kFrameworks, is_known))
    return false;
  const auto stated = captures_.find(pattern.framework + "_version");
  if (pattern.versions.empty() || stated == captures_.end()) return true;
  const auto range = VersionRange::parse(pattern.versions);
  const auto version = version_from(stated->second);
  return !range || !version || range->contains(*version);
}

bool Context::holds(std::span<const Condition> conditions, Stage stage,
                    const base::Regex::Captures& captures) const {
  for (const Condition& condition : conditions) {
    if (!holds(condition, stage, captures)) return false;
  }
  return true;
}

bool Context::holds(const Condition& condition, Stage stage, const base::Regex::Captures& captures) const {
  if (condition.kind == Condition::Kind::kFact) {
    const auto wanted = stage_named(condition.left);
    return (wanted ? stage == *wanted : knows(condition.left)) != condition.negated;
  }
  const auto value_of = [&](const std::string& name) -> std::optional<double> {
    if (const auto here = captures.find(name); here != captures.end()) return number_from(here->second);
    if (const auto there = captures_.find(name); there != captures_.end()) return number_from(there->second);
    return number_from(name);
  };
  const auto left = value_of(condition.left);
  const auto right = value_of(condition.right);
  if (!left || !right) return false;
  if (condition.kind == Condition::Kind::kLess) return *left < *right;
  if (condition.kind == Condition::Kind::kGreater) return *left > *right;
  return *left == *right;
}

}  // namespace lockstep::logs
