#include "diagnose/logs/scope.h"

#include <fmt/format.h>

#include "model/rank.h"

namespace lockstep::logs {
namespace {

std::string in_words(const std::set<int>& ranks) {
  return model::compress_ranks({ranks.begin(), ranks.end()});
}

ScopeJudgement as_catalogued(const Candidate& candidate) {
  const bool varies = candidate.variant != nullptr && candidate.variant->scope;
  const model::Scope scope = varies ? *candidate.variant->scope : candidate.symptom->scope;
  switch (scope) {
    case model::Scope::kDistributed:
      return {scope, "Distributed: this exists only where several processes train together."};
    case model::Scope::kOrdinary:
      return {scope, "Ordinary: one process alone would fail in the same way."};
    case model::Scope::kUnknown:
      return {scope, "Scope unknown: the log of one rank cannot tell; run one rank alone to find out."};
  }
  return {};
}

}  // namespace

ScopeJudgement judge_scope(const Candidate& candidate, const std::set<int>& roots,
                           const std::set<int>& speaking) {
  if (candidate.symptom->scope_rule != ScopeRule::kByRanks || candidate.ranks.size() < 1 ||
      speaking.size() < 2)
    return as_catalogued(candidate);
  if (candidate.ranks.size() == speaking.size() && !roots.empty()) {
    return {model::Scope::kDistributed,
            fmt::format("Distributed: all ranks print it, rank {} in an earlier step than the others.",
                        in_words(roots))};
  }
  if (candidate.ranks.size() == speaking.size()) {
    return {model::Scope::kOrdinary,
            fmt::format("Ordinary: all {} ranks that wrote anything print the same.", speaking.size())};
  }
  return {model::Scope::kDistributed, fmt::format("Distributed: only rank {} of the ranks {} prints it.",
                                                  in_words(candidate.ranks), in_words(speaking))};
}

}  // namespace lockstep::logs
