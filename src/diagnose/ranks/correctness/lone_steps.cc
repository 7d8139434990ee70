#include "diagnose/ranks/correctness/lone_steps.h"

#include <algorithm>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/training_position.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::EventKind;
using model::Job;
using model::RankHistory;

bool communicates(const model::Event& event) {
  return event.kind != EventKind::kActivity;
}

struct LoneSteps {
  StepSpan steps;
  std::size_t last_met = 0;  // index of the last event with others before the first step
};

// None: the rank says something to others between its steps, or it never did before them, so that its silence
// may be the recorder's.
std::optional<LoneSteps> lone_steps_of(const RankHistory& history) {
  const auto steps = step_span_of(history);
  if (!steps || steps->count < kMinLoneSteps) return std::nullopt;
  const auto begin = history.events.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(steps->first);
  const auto last = begin + static_cast<std::ptrdiff_t>(steps->last);
  if (std::any_of(first, last, communicates)) return std::nullopt;
  const auto met = std::find_if(std::make_reverse_iterator(first), history.events.rend(), communicates);
  if (met == history.events.rend()) return std::nullopt;
  return LoneSteps{.steps = *steps, .last_met = static_cast<std::size_t>(met.base() - begin) - 1};
}

}  // namespace

std::optional<model::Finding> find_lone_steps(const Job& job) {
  if (job.ranks.size() < 2 || job.world_size.value_or(0) != static_cast<int>(job.ranks.size()))
    return std::nullopt;
  std::vector<int> ranks;
  std::uint64_t fewest = 0;
  model::Finding finding{.leaf = model::Leaf::kPerfParallel,
                         .code = model::codes::kParallelLoneSteps,
                         .scope = model::Scope::kDistributed,
                         .confidence = confidence::kLoneSteps,
                         .root_ranks = {},
                         .victim_ranks = {},
                         .title = {},
                         .explanation = {},
                         .evidence = {},
                         .fixes = catalogue::fixes_for(model::codes::kParallelLoneSteps)};
  for (std::size_t at = 0; at < job.ranks.size(); ++at) {
    const auto lone = lone_steps_of(job.ranks[at]);
    if (!lone) return std::nullopt;
    fewest = ranks.empty() ? lone->steps.count : std::min(fewest, lone->steps.count);
    ranks.push_back(job.ranks[at].rank.number);
    if (finding.evidence.size() < 2) {
      finding.evidence.push_back(evidence_of(job, {.rank = static_cast<std::uint32_t>(at),
                                                   .event = static_cast<std::uint32_t>(lone->last_met)}));
    }
  }
  finding.title = fmt::format("{} trained {} steps without exchanging anything", ranks_in_words(ranks),
                              with_commas(fewest));
  finding.explanation =
      "They have a group and used it before the first step; then no rank sent, received or reduced anything "
      "until its last "
      "step. Nothing averages their gradients, so that each trains a model of its own on its own share of "
      "the data.";
  return finding;
}

}  // namespace lockstep::ranks
