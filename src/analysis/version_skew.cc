#include "analysis/version_skew.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "analysis/describe.h"
#include "analysis/fixes.h"

namespace lockstep::analysis {
namespace {

using model::Rank;
using RanksByVersion = std::map<std::string, std::vector<int>>;

RanksByVersion by_version(const model::Job& job, std::string Rank::*version) {
  RanksByVersion ranks;
  for (const model::RankHistory& history : job.ranks) {
    if (!(history.rank.*version).empty()) ranks[history.rank.*version].push_back(history.rank.number);
  }
  return ranks;
}

model::Finding skew(const model::Job& job, const RanksByVersion& versions, std::string_view what) {
  const auto usual =
      std::ranges::max_element(versions, {}, [](const auto& entry) { return entry.second.size(); });
  model::Finding finding;
  finding.leaf = model::Leaf::kSetupFail;
  finding.code = "versions.differ";
  finding.scope = model::Scope::kDistributed;
  finding.confidence = 0.5;
  std::string others;
  for (auto entry = versions.begin(); entry != versions.end(); ++entry) {
    finding.explanation += fmt::format("{}: {} {}. ", ranks_in_words(entry->second), what, entry->first);
    if (entry == usual) continue;
    finding.root_ranks.insert(finding.root_ranks.end(), entry->second.begin(), entry->second.end());
    others += (others.empty() ? "" : ", ") + entry->first;
    const model::RankHistory& first = *job.find_rank(entry->second.front());
    finding.evidence.push_back(
        evidence_about(job, first, fmt::format("{} {}", what, entry->first), model::EvidenceLevel::kSeen));
  }
  std::ranges::sort(finding.root_ranks);
  finding.title = fmt::format("{} {} another version than the others ({} {} instead of {})",
                              ranks_in_words(finding.root_ranks),
                              finding.root_ranks.size() == 1 ? "runs" : "run", what, others, usual->first);
  finding.fixes = fixes_for(finding.code);
  return finding;
}

}  // namespace

std::optional<model::Finding> find_version_skew(const model::Job& job) {
  const RanksByVersion frameworks = by_version(job, &Rank::framework_version);
  if (frameworks.size() > 1) return skew(job, frameworks, "framework version");
  const RanksByVersion recorders = by_version(job, &Rank::recorder_version);
  if (recorders.size() > 1) return skew(job, recorders, "dump format");
  return std::nullopt;
}

}  // namespace lockstep::analysis
