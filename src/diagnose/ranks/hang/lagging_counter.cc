#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/align.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/sparse_evidence.h"
#include "diagnose/ranks/rank_state.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::CommunicatorId;
using model::Operation;

using Key = std::pair<CommunicatorId, Operation>;
using Standings = std::map<Key, std::map<int, std::int64_t>>;

void add(Standings& standings, Key key, int rank, std::int64_t number) {
  const auto [place, is_new] = standings[key].try_emplace(rank, number);
  if (!is_new) place->second = std::max(place->second, number);
}

// Where completion is tracked, waiting shows by itself, and counters that differ are only ranks that were
// asked at different moments.
std::set<CommunicatorId> tracked_communicators(const model::Job& job) {
  std::set<CommunicatorId> tracked;
  for (const model::RankHistory& history : job.ranks) {
    CommunicatorId last = CommunicatorId::kNone;
    for (const model::Event& event : history.events) {
      if (!is_placed(event) || event.state == model::EventState::kUntracked || event.communicator == last)
        continue;
      last = event.communicator;
      tracked.insert(last);
    }
  }
  return tracked;
}

Standings standings_of(const model::Job& job) {
  Standings standings;
  for (const model::RankHistory& history : job.ranks) {
    for (const model::Progress& progress : history.progress) {
      if (progress.issued && progress.communicator != CommunicatorId::kNone) {
        add(standings, {progress.communicator, progress.operation}, history.rank.number, *progress.issued);
      }
    }
    std::map<CommunicatorId, std::int64_t> last;
    for (const model::Event& event : history.events) {
      if (!is_placed(event) || event.state != model::EventState::kUntracked) continue;
      std::int64_t& number = last[event.communicator];
      number = std::max(number, static_cast<std::int64_t>(event.sequence));
    }
    for (const auto& [communicator, number] : last) {
      add(standings, {communicator, Operation::kUnknown}, history.rank.number, number);
    }
  }
  for (const CommunicatorId communicator : tracked_communicators(job)) {
    std::erase_if(standings, [&](const auto& entry) { return entry.first.first == communicator; });
  }
  return standings;
}

struct Lag {
  LaggingCounter counter;
  std::int64_t gap = 0;
};

std::optional<Lag> lag_in(Key key, const std::map<int, std::int64_t>& numbers) {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [rank, number] : numbers) {
    highest = std::max(highest, number);
    lowest = std::min(lowest, number);
  }
  Lag lag{.counter = {.communicator = key.first,
                      .operation = key.second,
                      .others_at = highest,
                      .behind = {},
                      .others = {}},
          .gap = highest - lowest};
  for (const auto& [rank, number] : numbers) {
    (number < highest ? lag.counter.behind : lag.counter.others).push_back(rank);
  }
  const bool is_clear = !lag.counter.behind.empty() && lag.counter.others.size() >= 2 &&
                        lag.counter.others.size() > lag.counter.behind.size();
  return is_clear ? std::optional(std::move(lag)) : std::nullopt;
}

}  // namespace

std::vector<LaggingCounter> find_lagging_counters(const model::Job& job) {
  std::map<CommunicatorId, Lag> largest;
  for (const auto& [key, numbers] : standings_of(job)) {
    std::optional<Lag> lag = lag_in(key, numbers);
    if (!lag) continue;
    const auto found = largest.find(key.first);
    if (found == largest.end() || found->second.gap < lag->gap) largest[key.first] = *std::move(lag);
  }
  std::vector<LaggingCounter> all;
  for (auto& [communicator, lag] : largest) all.push_back(std::move(lag.counter));
  return all;
}

model::Finding finding_of(const model::Job& job, const LaggingCounter& lagging) {
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfHang;
  finding.code = model::codes::kLaggingCounter;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kLaggingCounter;
  finding.root_ranks = lagging.behind;
  finding.victim_ranks = lagging.others;
  const std::string who = ranks_in_words(lagging.behind);
  const std::string what = lagging.operation == Operation::kUnknown
                               ? "collective"
                               : std::string(model::name_of(lagging.operation));
  finding.title = fmt::format("{} {} behind in {}: {} others are at {} #{}", who,
                              lagging.behind.size() == 1 ? "is" : "are", describe(job, lagging.communicator),
                              lagging.others.size(), what, lagging.others_at);
  finding.explanation = fmt::format(
      "All {} others have issued {} #{}; {} {} not. This evidence cannot tell what is finished, so a "
      "job that was "
      "running well at that moment could look the same: look again after some seconds. ",
      lagging.others.size(), what, lagging.others_at, who, lagging.behind.size() == 1 ? "has" : "have");
  for (const int rank : lagging.behind) {
    const RankState known = rank_state_of(job, rank);
    if (!known.words.empty()) finding.explanation += fmt::format("Rank {}: {}. ", rank, known.words);
    finding.evidence.push_back(evidence_about(job, *job.find_rank(rank),
                                              fmt::format("behind {} #{}", what, lagging.others_at),
                                              model::EvidenceLevel::kInferred));
    if (finding.evidence.size() >= 4) break;
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
