#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/meeting_place.h"
#include "diagnose/ranks/hang/sparse_evidence.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::Job;
using model::RankHistory;

struct Stand {
  int rank;
  const MeetingPlace* meeting;  // none: somewhere else
  model::Evidence evidence;
};

bool tells_more_than_stacks(const RankHistory& history) {
  return !history.events.empty() || !history.failures.empty();
}

std::vector<Stand> stands_of(const Job& job) {
  std::vector<Stand> stands;
  for (const RankHistory& history : job.ranks) {
    const auto main = std::ranges::find_if(history.snapshots, &model::StackSnapshot::is_main);
    if (main == history.snapshots.end() || main->stack == model::StackId::kNone) continue;
    const model::Stack& stack = job.stacks[main->stack];
    stands.push_back({.rank = history.rank.number,
                      .meeting = meeting_place_of(stack),
                      .evidence = {.file = source_name(job, main->source),
                                   .line = main->position == 0 ? std::nullopt
                                                               : std::optional<std::int64_t>(main->position),
                                   .rank = history.rank.number,
                                   .text = describe(stack)}});
  }
  return stands;
}

model::Finding hang_in(Phase phase, const std::vector<Stand>& stands) {
  constexpr std::size_t kMaxEvidence = 6;
  model::Finding finding;
  finding.leaf = leaf_of(phase);
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kStuckStacks;
  for (const Stand& stand : stands) {
    if (finding.evidence.size() < kMaxEvidence) finding.evidence.push_back(stand.evidence);
  }
  return finding;
}

constexpr std::string_view kOneLook =
    "Stacks of one moment cannot tell a stuck rank from a slow one: take them again after a minute. ";

}  // namespace

std::optional<model::Finding> find_stuck_stacks(const Job& job) {
  if (std::ranges::any_of(job.ranks, tells_more_than_stacks)) return std::nullopt;
  std::vector<Stand> stands = stands_of(job);
  const auto first_away = std::stable_partition(stands.begin(), stands.end(),
                                                [](const Stand& stand) { return stand.meeting != nullptr; });
  const std::vector<Stand> waiting(stands.begin(), first_away);
  const std::vector<Stand> away(first_away, stands.end());
  if (waiting.empty() || stands.size() < 2) return std::nullopt;
  const auto ranks_of = [](const std::vector<Stand>& some) {
    std::vector<int> ranks;
    for (const Stand& stand : some) ranks.push_back(stand.rank);
    return ranks;
  };

  model::Finding finding = hang_in(waiting.front().meeting->phase, stands);
  if (!away.empty() && away.size() <= waiting.size()) {
    finding.code = model::codes::kMissingRank;
    finding.root_ranks = ranks_of(away);
    finding.victim_ranks = ranks_of(waiting);
    finding.title = fmt::format("{} did not come to the call in which the others wait",
                                ranks_in_words(finding.root_ranks));
    finding.explanation =
        fmt::format("By their stacks {} wait for the others, and {} is somewhere else. {}",
                    ranks_in_words(finding.victim_ranks), ranks_in_words(finding.root_ranks), kOneLook);
  } else if (away.empty() && std::ranges::any_of(waiting, [&](const Stand& stand) {
               return stand.meeting != waiting.front().meeting;
             })) {
    finding.code = model::codes::kDifferentCalls;
    finding.victim_ranks = ranks_of(waiting);
    finding.title = "The ranks wait for each other in different calls";
    finding.explanation =
        fmt::format("By their stacks the ranks are in calls that do not belong together. {}", kOneLook);
  } else {
    return std::nullopt;
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
