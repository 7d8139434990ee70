#include "diagnose/ranks/correctness/set_up.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "model/finding_code.h"
#include "model/merge.h"

namespace lockstep::ranks {

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
  finding.code = model::codes::kVersionsDiffer;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kVersionsDifferBeside;
  const bool is_tie = std::ranges::count_if(versions, [&](const auto& entry) {
                        return entry.second.size() == usual->second.size();
                      }) > 1;
  std::string others;
  for (auto entry = versions.begin(); entry != versions.end(); ++entry) {
    finding.explanation += fmt::format("{}: {} {}. ", ranks_in_words(entry->second), what, entry->first);
    if (entry == usual && !is_tie) continue;
    const model::RankHistory& first = *job.find_rank(entry->second.front());
    finding.evidence.push_back(
        evidence_about(job, first, fmt::format("{} {}", what, entry->first), model::EvidenceLevel::kSeen));
    if (is_tie) continue;
    finding.root_ranks.insert(finding.root_ranks.end(), entry->second.begin(), entry->second.end());
    others += (others.empty() ? "" : ", ") + entry->first;
  }
  std::ranges::sort(finding.root_ranks);
  finding.title =
      is_tie ? fmt::format("ranks run different versions ({} {} and {})", what, versions.begin()->first,
                           versions.rbegin()->first)
             : fmt::format("{} {} another version than the others ({} {} instead of {})",
                           ranks_in_words(finding.root_ranks),
                           finding.root_ranks.size() == 1 ? "runs" : "run", what, others, usual->first);
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

bool never_got_past_setting_up(const std::vector<model::Finding>& findings) {
  return !findings.empty() && std::ranges::all_of(findings, [](const model::Finding& finding) {
    return finding.leaf == model::Leaf::kSetupHang || finding.leaf == model::Leaf::kSetupFail;
  });
}

std::optional<model::Finding> find_version_skew(const model::Job& job) {
  const RanksByVersion frameworks = by_version(job, &Rank::framework_version);
  if (frameworks.size() > 1) return skew(job, frameworks, "framework version");
  const RanksByVersion recorders = by_version(job, &Rank::recorder_version);
  if (recorders.size() > 1) return skew(job, recorders, "dump format");
  return std::nullopt;
}

}  // namespace

void add_version_skew(const model::Job& job, std::vector<model::Finding>& findings) {
  auto skew = find_version_skew(job);
  if (!skew) return;
  const bool explains_it = never_got_past_setting_up(findings);
  if (explains_it) skew->confidence = confidence::kVersionsDifferInSetup;
  findings.insert(explains_it ? findings.begin() : findings.end(), *std::move(skew));
}

std::optional<model::Finding> find_world_size_one(std::span<const model::Job> parts) {
  const std::vector<std::size_t> alone = model::world_size_one(parts);
  if (alone.empty()) return std::nullopt;
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfParallel;
  finding.code = model::codes::kWorldOfOne;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kWorldOfOne;
  finding.title =
      fmt::format("{} processes trained side by side, each alone in a world of one", alone.size());
  finding.explanation =
      "Each called itself rank 0 of 1 and none waited for another: the same training ran several times "
      "instead "
      "of once on all of them. The launcher's variables did not reach the processes, or each host was "
      "started as a job of its own.";
  constexpr std::size_t kMaxShown = 4;
  for (std::size_t part : alone) {
    if (finding.evidence.size() == kMaxShown) break;
    const model::Job& world = parts[part];
    const auto pid = world.ranks.front().rank.pid;
    finding.evidence.push_back({.file = world.sources.empty() ? "" : world.sources.front(),
                                .line = std::nullopt,
                                .rank = 0,
                                .text = pid ? fmt::format("rank 0 of 1, process {}", *pid) : "rank 0 of 1"});
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
