#include <algorithm>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/set_up_beliefs.h"
#include "diagnose/ranks/hang/sparse_evidence.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::RankHistory;

std::vector<int> unseen_ranks(const model::Job& job) {
  std::vector<int> unseen;
  for (int rank = 0; rank < job.world_size.value_or(0); ++rank) {
    if (job.find_rank(rank) == nullptr) unseen.push_back(rank);
  }
  return unseen;
}

}  // namespace

std::optional<model::Finding> find_unstarted_ranks(const model::Job& job) {
  std::vector<int> unseen = unseen_ranks(job);
  if (unseen.empty() || job.ranks.empty() || !std::ranges::all_of(job.ranks, stands_at_the_start))
    return std::nullopt;
  std::vector<int> waiting;
  for (const RankHistory& history : job.ranks) waiting.push_back(history.rank.number);
  model::Finding finding{.leaf = model::Leaf::kSetupHang,
                         .code = model::codes::kSetupRankNotStarted,
                         .scope = model::Scope::kDistributed,
                         .confidence = confidence::kRankNotStarted,
                         .root_ranks = {},
                         .victim_ranks = waiting,
                         .title = fmt::format("{} never came while {} waited for the job to be complete",
                                              ranks_in_words(unseen), ranks_in_words(waiting)),
                         .explanation = fmt::format(
                             "The job has {} ranks. {} began and issued nothing; of {} there is no sign at "
                             "all. Either they were "
                             "not started or are not ready to join, or the number of ranks is set too high.",
                             *job.world_size, ranks_in_words(waiting), ranks_in_words(unseen)),
                         .evidence = {},
                         .fixes = catalogue::fixes_for(model::codes::kSetupRankNotStarted)};
  finding.evidence.push_back(
      evidence_about(job, job.ranks.front(), "begun, and no call since", model::EvidenceLevel::kSeen));
  const bool most_are_there = unseen.size() <= waiting.size();
  if (most_are_there) finding.root_ranks = std::move(unseen);
  return finding;
}

}  // namespace lockstep::ranks
