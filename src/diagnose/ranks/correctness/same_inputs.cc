#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/training_position.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::Event;
using model::Job;

bool is_fraction(model::DataType type) {
  using enum model::DataType;
  return type == kFloat16 || type == kBFloat16 || type == kFloat32 || type == kFloat64;
}

bool sums_many_numbers(const model::Collective& collective) {
  using enum model::Operation;
  const bool reduces = collective.operation == kAllReduce || collective.operation == kReduceScatter;
  const bool takes_one =
      collective.reduce_op == model::ReduceOp::kMaximum || collective.reduce_op == model::ReduceOp::kMinimum;
  return reduces && !takes_one && std::ranges::all_of(collective.input_types, is_fraction) &&
         model::element_count(collective.input_shapes).value_or(0) >= kMinElements;
}

// What a call brought; 0 where that is not known or not asked.
std::uint64_t input_of(const Job& job, const Event& event) {
  const auto collective = static_cast<std::size_t>(event.collective);
  const auto checksums = static_cast<std::size_t>(event.checksums);
  if (collective >= job.collectives.values().size() || checksums >= job.checksums.size()) return 0;
  return sums_many_numbers(job.collectives[event.collective]) ? job.checksums[checksums].input : 0;
}

struct InputComparison {
  std::size_t meetings = 0;
  std::size_t same = 0;
  std::set<std::uint64_t> inputs;  // as many as decide
  EventPlace one;
  EventPlace other;
};

void compare(const Job& job, const Meeting& meeting, InputComparison& comparison) {
  const std::uint64_t first = input_of(job, event_at(job, meeting.arrivals.front()));
  bool is_same = true;
  for (const EventPlace& place : meeting.arrivals) {
    const std::uint64_t input = input_of(job, event_at(job, place));
    if (input == 0) return;
    is_same = is_same && input == first;
  }
  ++comparison.meetings;
  if (!is_same) return;
  ++comparison.same;
  comparison.one = meeting.arrivals.front();
  comparison.other = meeting.arrivals.back();
  if (comparison.inputs.size() < kMinDifferentInputs) comparison.inputs.insert(first);
}

bool came_all(const Job& job, const Meeting& meeting) {
  const auto members = job.communicators[meeting.communicator].members.size();
  return members > 1 && meeting.arrivals.size() == members &&
         std::ranges::adjacent_find(meeting.arrivals, {}, &EventPlace::rank) == meeting.arrivals.end();
}

bool all_train(const Job& job) {
  return std::ranges::all_of(job.ranks, [](const model::RankHistory& history) {
    const auto steps = step_span_of(history);
    return steps && steps->count >= kMinTrainingSteps;
  });
}

// Horovod is for training, and in TensorFlow's graphs nobody sees its steps: a tensor that is brought
// together again and again tells them.
bool all_train_unseen(const Job& job, const Alignment& alignment) {
  const bool tells_steps = std::ranges::any_of(
      job.ranks, [](const model::RankHistory& history) { return step_span_of(history).has_value(); });
  if (job.framework != "horovod" || tells_steps) return false;
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    if (alignment.meetings_of(static_cast<model::CommunicatorId>(at)).size() >= kMinTrainingSteps)
      return true;
  }
  return false;
}

model::Evidence input_at(const Job& job, EventPlace place) {
  model::Evidence evidence = evidence_of(job, place);
  evidence.text += fmt::format("; checksum of what it brought {:016x}", input_of(job, event_at(job, place)));
  return evidence;
}

model::Finding finding_of(const Job& job, const std::vector<model::CommunicatorId>& communicators,
                          const InputComparison& comparison) {
  const std::vector<int>& members = job.communicators[communicators.front()].members;
  const std::string group =
      communicators.size() == 1 ? fmt::format(" of {}", describe(job, communicators.front())) : "";
  return {
      .leaf = model::Leaf::kPerfParallel,
      .code = model::codes::kParallelSameInputs,
      .scope = model::Scope::kDistributed,
      .confidence = confidence::kSameInputs,
      .root_ranks = {},
      .victim_ranks = {},
      .title = fmt::format("{}{} bring the same values to every reduction", ranks_in_words(members), group),
      .explanation = fmt::format("In all {} reductions whose inputs were summed, every rank brought the "
                                 "same bytes. Ranks that work on "
                                 "different samples do not: here each of them does the same work, and "
                                 "the job learns no more than one "
                                 "rank alone would.",
                                 with_commas(comparison.meetings)),
      .evidence = {input_at(job, comparison.one), input_at(job, comparison.other)},
      .fixes = catalogue::fixes_for(model::codes::kParallelSameInputs)};
}

}  // namespace

// Adapters that bring tensors together by name make a communicator of each: those of the same members are one
// group of ranks, and what all of its gradients show counts.
std::optional<model::Finding> find_same_inputs(const Job& job, const Alignment& alignment) {
  if (job.checksums.empty() || job.ranks.size() < 2) return std::nullopt;
  if (!all_train(job) && !all_train_unseen(job, alignment)) return std::nullopt;
  std::map<std::vector<int>, std::vector<model::CommunicatorId>> by_members;
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    by_members[job.communicators.values()[at].members].push_back(static_cast<model::CommunicatorId>(at));
  }
  for (const auto& [members, communicators] : by_members) {
    InputComparison comparison;
    for (const model::CommunicatorId communicator : communicators) {
      for (const Meeting& meeting : alignment.meetings_of(communicator)) {
        if (came_all(job, meeting)) compare(job, meeting, comparison);
        if (comparison.same != comparison.meetings) break;
      }
    }
    if (comparison.meetings >= kMinEqualMeetings && comparison.same == comparison.meetings &&
        comparison.inputs.size() >= kMinDifferentInputs) {
      return finding_of(job, communicators, comparison);
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::ranks
