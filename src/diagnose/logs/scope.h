// Is the fault there only because the training is distributed? Decided from who printed it, and said with the
// reason.
#pragma once

#include <set>
#include <string>

#include "diagnose/logs/candidate.h"
#include "model/finding.h"

namespace lockstep::logs {

struct ScopeJudgement {
  model::Scope scope = model::Scope::kUnknown;
  std::string reason;  // one sentence
};

// `roots`: who began it, as far as that can be told. `speaking`: every rank that printed anything that is
// known of.
ScopeJudgement judge_scope(const Candidate& candidate, const std::set<int>& roots,
                           const std::set<int>& speaking);

}  // namespace lockstep::logs
