// What the whole log says about the job: facts, the stage it had reached at a place, and whether the
// conditions of a catalogue entry hold there.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text_search/regex.h"
#include "diagnose/logs/scan.h"

namespace lockstep::logs {

// Patterns of the catalogue, compiled when a line first needs them: most never do.
class RegexCache {
 public:
  const base::Regex& operator[](const std::string& pattern) {
    auto found = compiled_.find(pattern);
    if (found == compiled_.end()) {
      auto regex = base::Regex::compile(pattern, "catalogue");
      CHECK(regex.ok(), "the catalogue's patterns were compiled before");
      found = compiled_.emplace(pattern, std::move(regex).value()).first;
    }
    return found->second;
  }

 private:
  std::map<std::string, base::Regex> compiled_;
};

// In the order in which a job goes through them.
enum class Stage : std::uint8_t { kUnknown, kBuild, kImport, kSetup, kPrepare, kTrain };

class Context {
 public:
  // `scans` and `logs` belong together, one each.
  Context(const catalogue::Catalogue& catalogue, std::span<const LogText> logs, std::span<const Scan> scans);

  bool knows(std::string_view fact) const { return facts_.contains(fact); }
  // The furthest stage begun before the place in that log; where none was, the furthest that the log shows.
  Stage stage_at(std::size_t log, std::size_t offset) const;
  // Of all logs.
  Stage furthest_stage() const;
  bool is_training_in(std::size_t log) const { return stages_[log].contains(Stage::kTrain); }
  // Does what the log says of frameworks and versions allow the pattern? What it does not say, it allows.
  bool allows(const catalogue::Pattern& pattern) const;
  // Numbers that facts captured, such as "world".
  const base::Regex::Captures& captures() const { return captures_; }

  bool holds(std::span<const catalogue::Condition> conditions, Stage stage,
             const base::Regex::Captures& captures) const;

 private:
  bool holds(const catalogue::Condition& condition, Stage stage, const base::Regex::Captures& captures) const;

  std::set<std::string, std::less<>> facts_;
  std::vector<std::map<Stage, std::size_t>> stages_;  // by log: where each stage begins
  base::Regex::Captures captures_;
};

}  // namespace lockstep::logs
