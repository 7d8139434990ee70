// Findings and stories in a line, for the tests of the rules.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "diagnose/arbitrate/arbitrate.h"

namespace lockstep::diagnose::testing {

inline model::Finding found(model::Leaf leaf, const std::string& code, double confidence,
                            std::vector<int> roots = {}) {
  model::Finding finding;
  finding.leaf = leaf;
  finding.code = code;
  finding.confidence = confidence;
  finding.root_ranks = std::move(roots);
  return finding;
}

// With a line to show, of the rank where one is given.
inline model::Finding printed(model::Finding finding, std::optional<int> rank = {},
                              const std::string& file = "job.err") {
  const auto line = static_cast<std::int64_t>(std::hash<std::string>()(finding.code.text()) % 10'000);
  finding.evidence.push_back({.file = file, .line = line, .rank = rank, .text = finding.code.text()});
  return finding;
}

inline Story story_of(std::vector<model::Finding> ranks, std::vector<model::Finding> logs) {
  Story story;
  story.ranks = claims_of_ranks(std::move(ranks));
  story.logs = claims_of_logs(std::move(logs));
  return story;
}

inline void apply_named(std::string_view name, Story& story) {
  for (const Rule& rule : rules()) {
    if (rule.name == name) return apply(rule, story);
  }
  ADD_FAILURE() << "no rule is called " << name;
}

inline std::vector<std::string> codes_of(const std::vector<Claim>& claims) {
  std::vector<std::string> codes;
  for (const Claim& claim : claims) codes.push_back(claim.finding.code.text());
  return codes;
}

inline std::vector<std::string> order_of(const Story& story) {
  std::vector<std::string> codes;
  for (const Claim* claim : story.in_order()) codes.push_back(claim->finding.code.text());
  return codes;
}

// "dropped process.ended for mem.gpu": the outcome in a word, for comparing.
inline std::vector<std::string> steps_of(const std::vector<model::Decision>& decisions) {
  constexpr std::string_view kWords[] = {"added", "before",     "behind",  "into",   "dropped",
                                         "ranks", "confidence", "renamed", "follows"};
  std::vector<std::string> steps;
  for (const model::Decision& one : decisions) {
    std::string step = one.finding.text() + " " + std::string(kWords[static_cast<int>(one.outcome)]);
    steps.push_back(one.other.empty() ? step : step + " " + one.other.text());
  }
  return steps;
}

using Steps = std::vector<std::string>;
using Codes = std::vector<std::string>;

}  // namespace lockstep::diagnose::testing
