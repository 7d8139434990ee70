#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"

namespace lockstep::ranks {
namespace {

using model::Event;
using model::Job;

struct StateOfRank {
  EventPlace place;
  std::uint64_t sum = 0;
};
using ByStep = std::map<std::uint64_t, std::vector<StateOfRank>>;
using Part = std::uint64_t model::Checksums::*;

// 0 where nothing was summed. What a step event says of itself is the state behind it.
std::uint64_t sum_of(const Job& job, const Event& event, Part part) {
  const auto checksums = static_cast<std::size_t>(event.checksums);
  const bool is_step = event.kind == model::EventKind::kActivity && event.activity == model::Activity::kStep;
  return is_step && checksums < job.checksums.size() ? job.checksums[checksums].*part : 0;
}

std::map<model::CommunicatorId, ByStep> states_in(const Job& job, Part part) {
  std::map<model::CommunicatorId, ByStep> states;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    const std::vector<Event>& events = job.ranks[rank].events;
    for (std::uint32_t at = 0; at < events.size(); ++at) {
      const std::uint64_t sum = sum_of(job, events[at], part);
      if (sum == 0 || events[at].communicator == model::CommunicatorId::kNone) continue;
      states[events[at].communicator][events[at].sequence].push_back({{.rank = rank, .event = at}, sum});
    }
  }
  return states;
}

struct Drift {
  std::uint64_t step = 0;           // the first of those that differ to the end
  std::vector<StateOfRank> states;  // after it
  std::size_t steps = 0;
  bool agreed_before = false;
};

bool are_same(const std::vector<StateOfRank>& states) {
  return std::ranges::all_of(states, [&](const StateOfRank& one) { return one.sum == states.front().sum; });
}

std::optional<Drift> lasting_drift(const ByStep& by_step, std::size_t members) {
  Drift drift;
  std::size_t longest_before = 0;
  for (const auto& [step, states] : by_step) {
    if (states.size() < members) continue;
    const bool is_same = are_same(states);
    if (is_same) {
      longest_before = std::max(longest_before, drift.steps);
      drift = Drift();
      drift.agreed_before = true;
      continue;
    }
    if (drift.steps++ > 0) continue;
    drift.step = step;
    drift.states = states;
  }
  if (drift.steps < std::max(kMinDriftSteps, kLongerThanBefore * longest_before + 1)) return std::nullopt;
  return drift;
}

// Those that differ from what most have; none at a tie.
std::vector<int> odd_ranks(const Job& job, const Drift& drift) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const StateOfRank& one : drift.states) ++counts[one.sum];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  const bool is_tie =
      std::ranges::count_if(counts, [&](const auto& one) { return one.second == most->second; }) > 1;
  std::vector<int> odd;
  for (const StateOfRank& one : drift.states) {
    if (!is_tie && one.sum != most->first) odd.push_back(job.ranks[one.place.rank].rank.number);
  }
  return odd;
}

std::vector<model::Evidence> evidence_for(const Job& job, const Drift& drift, std::string_view what) {
  const StateOfRank& first = drift.states.front();
  const auto other =
      std::ranges::find_if(drift.states, [&](const StateOfRank& one) { return one.sum != first.sum; });
  std::vector<model::Evidence> evidence;
  for (const StateOfRank& one : {first, *other}) {
    evidence.push_back(evidence_of(job, one.place));
    evidence.back().text += fmt::format("; checksum of the {} after it {:016x}", what, one.sum);
  }
  return evidence;
}

model::Finding finding_of(const Job& job, const Drift& drift, std::string_view what,
                          const model::KnownCode& code) {
  std::vector<int> odd = odd_ranks(job, drift);
  std::vector<int> others;
  for (const StateOfRank& one : drift.states) {
    const int rank = job.ranks[one.place.rank].rank.number;
    if (!std::ranges::binary_search(odd, rank)) others.push_back(rank);
  }
  const std::string title = odd.empty()
                                ? fmt::format("{} have different {} from step {} on", ranks_in_words(others),
                                              what, with_commas(drift.step))
                                : fmt::format("{} {} other {} than the other {} ranks from step {} on",
                                              ranks_in_words(odd), odd.size() == 1 ? "has" : "have", what,
                                              with_commas(others.size()), with_commas(drift.step));
  return {.leaf = model::Leaf::kPerfResult,
          .code = code,
          .scope = model::Scope::kDistributed,
          .confidence = odd.empty() ? confidence::kModelsDifferTie : confidence::kModelsDiffer,
          .root_ranks = std::move(odd),
          .victim_ranks = std::move(others),
          .title = title,
          .explanation = fmt::format(
              "{} They are to be the same on all ranks after every step, and differ in {} steps up to the "
              "end: the "
              "ranks train different models.",
              drift.agreed_before ? "Before that step they were the same." : "They never were the same.",
              with_commas(drift.steps)),
          .evidence = evidence_for(job, drift, what),
          .fixes = catalogue::fixes_for(code)};
}

std::optional<model::Finding> find_drift_of(const Job& job, Part part, std::string_view what,
                                            const model::KnownCode& code) {
  for (const auto& [communicator, by_step] : states_in(job, part)) {
    const std::size_t members = job.communicators[communicator].members.size();
    if (members < 2) continue;
    if (const auto drift = lasting_drift(by_step, members)) return finding_of(job, *drift, what, code);
  }
  return std::nullopt;
}

}  // namespace

std::optional<model::Finding> find_model_drift(const Job& job) {
  if (job.checksums.empty()) return std::nullopt;
  if (auto drift = find_drift_of(job, &model::Checksums::input, "parameters",
                                 model::codes::kDivergenceParametersDiffer))
    return drift;
  return find_drift_of(job, &model::Checksums::output, "buffers", model::codes::kDivergenceBuffersDiffer);
}

}  // namespace lockstep::ranks
