#include "diagnose/ranks/hang/unmade_communicator.h"

#include <algorithm>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::CommunicatorId;
using model::RankHistory;

std::vector<bool> communicators_of(const model::Job& job, const RankHistory& history) {
  std::vector<bool> known(job.communicators.size());
  for (const CommunicatorId id : history.communicators) known[static_cast<std::size_t>(id)] = true;
  for (const model::Event& event : history.events) {
    if (event.communicator != CommunicatorId::kNone)
      known[static_cast<std::size_t>(event.communicator)] = true;
  }
  return known;
}

// The same group over another backend: made, only not used that way.
bool lists_other_backend(const model::Job& job, const RankHistory& history, CommunicatorId id) {
  const model::Communicator& wanted = job.communicators[id];
  return std::ranges::any_of(history.communicators, [&](CommunicatorId other) {
    const model::Communicator& listed = job.communicators[other];
    return listed.name == wanted.name && listed.members == wanted.members;
  });
}

}  // namespace

std::vector<UnmadeCommunicator> find_unmade_communicators(const model::Job& job, const Alignment& alignment) {
  std::vector<UnmadeCommunicator> by_communicator(job.communicators.size());
  std::vector<std::vector<CommunicatorId>> used_by_rank(job.ranks.size());
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    const auto id = static_cast<CommunicatorId>(at);
    by_communicator[at].communicator = id;
    const auto meetings = alignment.meetings_of(id);
    if (meetings.empty()) continue;
    by_communicator[at].first_use = meetings.front().arrivals.front();
    for (const int member : job.communicators[id].members) {
      const RankHistory* history = job.find_rank(member);
      if (history == nullptr || !history->lists_communicators) continue;
      used_by_rank[static_cast<std::size_t>(history - job.ranks.data())].push_back(id);
    }
  }
  for (std::size_t at = 0; at < job.ranks.size(); ++at) {
    if (used_by_rank[at].empty()) continue;
    const std::vector<bool> known = communicators_of(job, job.ranks[at]);
    for (const CommunicatorId id : used_by_rank[at]) {
      const auto index = static_cast<std::size_t>(id);
      if (!known[index] && !lists_other_backend(job, job.ranks[at], id))
        by_communicator[index].without.push_back(job.ranks[at].rank.number);
    }
  }
  std::erase_if(by_communicator, [](const UnmadeCommunicator& one) { return one.without.empty(); });
  return by_communicator;
}

model::Finding finding_of(const model::Job& job, const UnmadeCommunicator& unmade) {
  model::Finding finding;
  finding.leaf = model::Leaf::kSetupHang;
  finding.code = model::codes::kSetupCommunicatorNotMade;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kCommunicatorNotMade;
  finding.root_ranks = unmade.without;
  for (const int member : job.communicators[unmade.communicator].members) {
    if (!std::ranges::binary_search(unmade.without, member)) finding.victim_ranks.push_back(member);
  }
  std::ranges::sort(finding.victim_ranks);
  const std::string who = ranks_in_words(unmade.without);
  const std::string group = describe(job, unmade.communicator);
  finding.title = fmt::format("{} never made {}", who, group);
  finding.explanation = fmt::format(
      "Other members use {}, which has {} among its members, but it is not in the list of groups that {} "
      "made. ",
      group, who, who);
  finding.evidence.push_back(evidence_of(job, unmade.first_use));
  for (const int rank : unmade.without) {
    const RankHistory& history = *job.find_rank(rank);
    finding.evidence.push_back(evidence_about(
        job, history,
        fmt::format("lists {} groups, {} is not among them", history.communicators.size(), group),
        model::EvidenceLevel::kAbsence));
    if (finding.evidence.size() > 4) break;
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
