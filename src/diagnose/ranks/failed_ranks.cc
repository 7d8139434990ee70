#include "diagnose/ranks/failed_ranks.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <set>
#include <span>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::Leaf;
using model::Liveness;
using model::RankEnd;
using model::RankHistory;

// "Signal 15 (SIGTERM) received by PID 7" is torchrun's word for how the process ended, not the rank's for
// why.
bool only_names_the_signal(const model::Failure& failure) {
  return failure.message.starts_with("Signal ") &&
         failure.message.find(" received by PID ") != std::string::npos;
}

bool has_failed(const RankHistory& history) {
  if (was_told_to_end(history) || was_let_down(history)) return false;
  return !history.failures.empty() || history.rank.end == RankEnd::kSignalled ||
         history.rank.end == RankEnd::kExited || history.rank.liveness == Liveness::kDead ||
         history.rank.liveness == Liveness::kUnresponsive;
}

// Each of its errors is that of a call that it gave up.
bool reports_only_calls(const RankHistory& history) {
  std::set<model::SourceId> sources;
  for (const model::Event& event : history.events) {
    const bool is_call = event.kind != model::EventKind::kActivity;
    if (is_call && event.state == model::EventState::kFailed) sources.insert(event.source);
  }
  return !history.failures.empty() && std::ranges::all_of(history.failures, [&](const model::Failure& one) {
    return sources.contains(one.source);
  });
}

bool was_left_waiting(const RankHistory& history, const std::vector<int>& victims) {
  return std::ranges::find(victims, history.rank.number) != victims.end() && reports_only_calls(history) &&
         history.rank.end != RankEnd::kSignalled;
}

std::int64_t time_of_failure(const RankHistory& history) {
  const model::Failure* first = first_failure(history);
  return first == nullptr || first->time_ns == model::kNoTime ? std::numeric_limits<std::int64_t>::max()
                                                              : first->time_ns;
}

// What the way a rank ended says, strongest first: a signal cannot be a reaction to another rank's exception.
// A rank of which is only known that it is gone comes last: a launcher ends those that are left without a
// trace, and who failed before left a status.
int rank_of_reason(const RankHistory& history) {
  if (history.rank.end == RankEnd::kSignalled && history.rank.exit_status != SIGABRT) return 0;
  if (!history.failures.empty()) return 1;
  return history.rank.end == RankEnd::kUnknown ? 3 : 2;
}

bool was_only_taken_away(const RankHistory& history) {
  return history.failures.empty() && history.rank.end == RankEnd::kUnknown;
}

std::string how_it_ended(const RankHistory& history) {
  if (const model::Failure* failure = first_failure(history)) {
    return failure->message.substr(0, failure->message.find('\n'));
  }
  switch (history.rank.end) {
    case RankEnd::kSignalled:
      return fmt::format("killed by signal {}", history.rank.exit_status.value_or(0));
    case RankEnd::kExited:
      return fmt::format("exit status {}", history.rank.exit_status.value_or(1));
    default:
      return history.rank.liveness == Liveness::kDead ? "its process is gone" : "its process does not answer";
  }
}

// Killed by somebody else, with no word of its own: what is known is that the others are without it.
bool was_taken_away(const model::Job& job, const RankHistory& root) {
  const bool was_killed = root.rank.end == RankEnd::kSignalled && root.rank.exit_status == SIGKILL;
  const bool is_gone = root.rank.end == RankEnd::kUnknown && root.rank.liveness == Liveness::kDead;
  return job.ranks.size() > 1 && root.failures.empty() && (was_killed || is_gone);
}

Leaf leaf_for(const model::Job& job, const RankHistory& root) {
  if (was_taken_away(job, root)) return Leaf::kRunComm;
  if (root.rank.end != RankEnd::kSignalled) return Leaf::kRunOther;
  const int signal = root.rank.exit_status.value_or(0);
  return signal == SIGSEGV || signal == SIGBUS ? Leaf::kRunSegv : Leaf::kRunOther;
}

std::string_view code_for(const model::Job& job, const RankHistory& root) {
  if (was_taken_away(job, root)) return model::codes::kDeadRank;
  return root.failures.empty() ? model::codes::kProcessEnded : model::codes::kProcessFailed;
}

}  // namespace

bool was_told_to_end(const RankHistory& history) {
  const int signal = history.rank.exit_status.value_or(0);
  return history.rank.end == RankEnd::kSignalled && (signal == SIGTERM || signal == SIGINT) &&
         std::ranges::all_of(history.failures, only_names_the_signal);
}

bool was_let_down(const RankHistory& history) {
  const std::size_t count = std::min(kLastEvents, history.events.size());
  return history.rank.end == RankEnd::kExited && history.failures.empty() &&
         std::ranges::any_of(std::span(history.events).last(count), [](const model::Event& event) {
           return event.kind == model::EventKind::kCollective && event.state == model::EventState::kFailed;
         });
}

const model::Failure* first_failure(const RankHistory& history) {
  const auto first = std::ranges::min_element(history.failures, {}, [](const model::Failure& failure) {
    return failure.time_ns == model::kNoTime ? std::numeric_limits<std::int64_t>::max() : failure.time_ns;
  });
  return first == history.failures.end() ? nullptr : &*first;
}

std::optional<model::Finding> find_failed_ranks(const model::Job& job, const std::vector<int>& victims) {
  std::vector<const RankHistory*> failed;
  for (const RankHistory& history : job.ranks) {
    if (has_failed(history) && !was_left_waiting(history, victims)) failed.push_back(&history);
  }
  if (failed.empty()) return std::nullopt;
  const auto key = [](const RankHistory* history) {
    return std::tuple(rank_of_reason(*history), !history->rank.launcher_saw_first, time_of_failure(*history),
                      history->rank.number);
  };
  const RankHistory& root = **std::ranges::min_element(failed, {}, key);

  std::set<std::string> messages;
  for (const RankHistory* history : failed) messages.insert(how_it_ended(*history));
  const bool all_say_the_same = failed.size() > 1 && failed.size() == job.ranks.size() &&
                                messages.size() == 1 && !root.failures.empty();

  const bool is_nobodys_fault = was_only_taken_away(root);
  model::Finding finding;
  finding.leaf = leaf_for(job, root);
  finding.code = code_for(job, root);
  finding.scope = all_say_the_same ? model::Scope::kOrdinary : model::Scope::kUnknown;
  finding.confidence = confidence::kFailedFirst;
  // The root first: its words are the reason, and room is short.
  std::stable_partition(failed.begin(), failed.end(),
                        [&](const RankHistory* history) { return history == &root; });
  for (const RankHistory* history : failed) {
    const bool is_root = all_say_the_same || history == &root;
    (is_root ? finding.root_ranks : finding.victim_ranks).push_back(history->rank.number);
    if (finding.evidence.size() < 6 && (is_root || !was_only_taken_away(*history) || is_nobodys_fault)) {
      const model::Failure* failure = first_failure(*history);
      model::Evidence evidence =
          evidence_about(job, *history, how_it_ended(*history), model::EvidenceLevel::kSeen);
      if (failure != nullptr) {
        evidence.file = source_name(job, failure->source);
        if (failure->position > 0) evidence.line = failure->position;
        if (auto place = failure->stack == model::StackId::kNone
                             ? std::nullopt
                             : code_place(job.stacks[failure->stack], {history->rank.number}))
          add_place(finding, *std::move(place));
      }
      finding.evidence.push_back(std::move(evidence));
    }
  }
  std::ranges::sort(finding.root_ranks);
  std::ranges::sort(finding.victim_ranks);
  finding.title = fmt::format("{} {}: {}", ranks_in_words(finding.root_ranks),
                              all_say_the_same ? "failed alike" : "failed first", how_it_ended(root));
  finding.explanation =
      all_say_the_same
          ? "Every rank reports the same error, so it is not a matter of ranks working together. "
          : fmt::format("{} failed first; what other ranks report came after it. ",
                        ranks_in_words(finding.root_ranks));
  finding.fixes = catalogue::fixes_for(model::codes::kDeadRank);
  return finding;
}

}  // namespace lockstep::ranks
