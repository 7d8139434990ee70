#include "diagnose/ranks/correctness/uneven_steps.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/timing/waiting_calls.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

void explain_by_uneven_steps(const UnevenSteps& uneven, model::Finding& finding) {
  const bool is_about_missing_ranks =
      finding.code == model::codes::kMissingRank || finding.code == model::codes::kEndedEarly;
  if (!uneven.counts_steps || !is_about_missing_ranks || finding.root_ranks.empty()) return;
  const bool all_ended = std::ranges::all_of(
      finding.root_ranks, [&](int rank) { return std::ranges::binary_search(uneven.ended_early, rank); });
  if (!all_ended) return;
  finding.code = model::codes::kEndedEarly;
  finding.explanation +=
      fmt::format("{} ended after {} steps; the ranks that wait are in step {}. ",
                  ranks_in_words(finding.root_ranks), uneven.steps_of_early, uneven.steps_of_waiting);
  finding.fixes = catalogue::fixes_for(finding.code);
}

namespace {

using model::CommunicatorId;
using model::Event;
using model::EventKind;
using model::Job;

// The communicator in which most ranks met; of equals the one with most meetings.
CommunicatorId largest_communicator(const Job& job, const Alignment& alignment) {
  CommunicatorId largest = CommunicatorId::kNone;
  std::tuple<std::size_t, std::size_t, std::string> best;
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    const auto id = static_cast<CommunicatorId>(at);
    const std::span<const Meeting> meetings = alignment.meetings_of(id);
    if (meetings.empty()) continue;
    std::size_t arrivals = 0;
    for (const Meeting& meeting : meetings) arrivals = std::max(arrivals, meeting.arrivals.size());
    std::tuple<std::size_t, std::size_t, std::string> size(arrivals, meetings.size(),
                                                           job.communicators[id].name);
    if (largest != CommunicatorId::kNone && size <= best) continue;
    best = std::move(size);
    largest = id;
  }
  return largest;
}

bool is_step(const Event& event) {
  return event.kind == EventKind::kActivity && event.activity == model::Activity::kStep;
}

void raise_to(std::optional<std::uint64_t>& highest, std::uint64_t number) {
  if (number != model::kNoSequence) highest = std::max(highest.value_or(0), number);
}

Ending ending_of(const model::RankHistory& history, bool has_unfinished, bool completed_a_step) {
  using enum model::RankEnd;
  switch (history.rank.end) {
    case kClean:
      return Ending::kSaidGoodbye;
    case kExited:
    case kSignalled:
      return Ending::kFailedOrGone;
    case kUnknown:
      break;
  }
  // Without steps, one that is busy elsewhere looks the same.
  return completed_a_step && !has_unfinished ? Ending::kFellSilent : Ending::kRuns;
}

// Who waits issued little after the call it waits in, so the last events tell.
bool may_wait(const model::RankHistory& history) {
  const std::size_t count = std::min(kLastEvents, history.events.size());
  return std::ranges::any_of(std::span(history.events).last(count), [](const Event& event) {
    return event.kind == EventKind::kCollective && model::is_unfinished(event);
  });
}

StepCount count_steps(const model::RankHistory& history, CommunicatorId largest) {
  StepCount count;
  count.rank = history.rank.number;
  bool has_unfinished = false;
  const Event* last_step = nullptr;
  std::uint64_t last_number = model::kNoSequence;
  for (const Event& event : history.events) {
    if (is_step(event)) {
      ++count.steps;
      raise_to(count.last_step, event.sequence);
      last_step = &event;
    }
    if (model::is_unfinished(event)) {
      has_unfinished = true;
      if (event.kind == EventKind::kCollective) count.waits = true;
    }
    if (event.kind != EventKind::kCollective || event.communicator != largest) continue;
    raise_to(count.last_collective, event.sequence);
    if (event.sequence != last_number || event.sequence == model::kNoSequence) ++count.collectives;
    last_number = event.sequence;
  }
  const bool completed_a_step = last_step != nullptr && (last_step->state == model::EventState::kCompleted ||
                                                         is_time(last_step->end_ns));
  count.ending = ending_of(history, has_unfinished, completed_a_step);
  return count;
}

bool has_ended(const StepCount& count) {
  return count.ending == Ending::kSaidGoodbye || count.ending == Ending::kFellSilent;
}

// Numbers are compared where all have them: a ring that wrapped counts fewer than there were.
std::uint64_t progress_of(const StepCount& count, bool counts_steps, bool by_number) {
  if (counts_steps) return by_number ? *count.last_step : count.steps;
  return by_number ? *count.last_collective : count.collectives;
}

}  // namespace

std::optional<UnevenSteps> find_uneven_steps(const Job& job, const Alignment& alignment) {
  if (std::ranges::none_of(job.ranks, may_wait)) return std::nullopt;
  const CommunicatorId largest = largest_communicator(job, alignment);
  UnevenSteps uneven;
  for (const model::RankHistory& history : job.ranks) uneven.counts.push_back(count_steps(history, largest));

  const auto all = [&](auto&& holds) { return std::ranges::all_of(uneven.counts, holds); };
  uneven.counts_steps = all([](const StepCount& one) { return one.steps > 0; });
  const bool by_number = uneven.counts_steps
                             ? all([](const StepCount& one) { return one.last_step.has_value(); })
                             : all([](const StepCount& one) { return one.last_collective.has_value(); });
  const auto progress = [&](const StepCount& one) {
    return progress_of(one, uneven.counts_steps, by_number);
  };

  std::uint64_t most = 0;
  for (const StepCount& count : uneven.counts) {
    if (count.waits) most = std::max(most, progress(count));
  }
  for (const StepCount& count : uneven.counts) {
    if (has_ended(count) && !count.waits && progress(count) < most) uneven.ended_early.push_back(count.rank);
  }
  if (uneven.ended_early.empty()) return std::nullopt;
  uneven.steps_of_waiting = most;
  for (const StepCount& count : uneven.counts) {
    const std::uint64_t reached = progress(count);
    if (std::ranges::binary_search(uneven.ended_early, count.rank)) {
      uneven.steps_of_early = std::max(uneven.steps_of_early, reached);
    }
  }
  for (const StepCount& count : uneven.counts) {
    const std::uint64_t reached = progress(count);
    if (!count.waits || reached <= uneven.steps_of_early) continue;
    uneven.waiting.push_back(count.rank);
    uneven.steps_of_waiting = std::min(uneven.steps_of_waiting, reached);
  }
  return uneven;
}

}  // namespace lockstep::ranks
