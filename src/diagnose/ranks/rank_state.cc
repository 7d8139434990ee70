#include "diagnose/ranks/rank_state.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/failed_ranks.h"
#include "model/finding_code.h"
#include "model/job.h"

namespace lockstep::ranks {

namespace {

// A rank that is gone, as those know it who were connected with it: a process that ends closes its
// connections.

bool tells_of_a_lost_connection(std::string_view message) {
  // gRPC says "Socket closed" or "reset by peer", by what of the connection was under way.
  constexpr std::array<std::string_view, 5> kWords = {
      "closed by peer", "reset by peer", "closed by remote peer", "Broken pipe", "Socket closed"};
  return std::ranges::any_of(
      kWords, [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

const model::Failure* first_failure_of_others(const model::Job& job, const model::RankHistory& history) {
  const model::Failure* first = nullptr;
  for (const model::RankHistory& other : job.ranks) {
    const model::Failure* failure = other.rank.number == history.rank.number ? nullptr : first_failure(other);
    if (failure == nullptr || failure->time_ns == model::kNoTime) continue;
    if (first == nullptr || failure->time_ns < first->time_ns) first = failure;
  }
  return first;
}

// It said no goodbye, nothing tells whether it lives, and the first error that any other rank reports is that
// a connection was closed. Ranks that are only late make the others run out of time instead.
bool is_first_missed_by_its_peers(const model::Job& job, const model::RankHistory& history) {
  if (history.rank.end != model::RankEnd::kUnknown || history.rank.liveness != model::Liveness::kUnknown)
    return false;
  const model::Failure* first = first_failure_of_others(job, history);
  return first != nullptr && tells_of_a_lost_connection(first->message);
}

// Its own first error is that it lost a connection, after another rank had failed: an echo of that one.
bool only_lost_its_peers(const model::Job& job, const model::RankHistory& history) {
  const model::Failure* own = first_failure(history);
  if (own == nullptr || own->time_ns == model::kNoTime || !tells_of_a_lost_connection(own->message))
    return false;
  const model::Failure* first = first_failure_of_others(job, history);
  return first != nullptr && first->time_ns < own->time_ns;
}

using model::Activity;
using model::Evidence;
using model::Job;
using model::RankEnd;
using model::RankHistory;

// Words in a frame's function or file that tell what the program is doing there. First match wins, innermost
// frame first.
struct Landmark {
  std::string_view word;
  Place place;
};
constexpr std::array kLandmarks = {
    Landmark{"dataloader", Place::kDataLoading},
    Landmark{"data_loader", Place::kDataLoading},
    Landmark{"_next_data", Place::kDataLoading},
    Landmark{"tf_data", Place::kDataLoading},
    Landmark{"iterator_ops", Place::kDataLoading},
    Landmark{"checkpoint", Place::kCheckpoint},
    Landmark{"serialization.py", Place::kCheckpoint},
    Landmark{"state_dict", Place::kCheckpoint},
    Landmark{"save_model", Place::kCheckpoint},
    Landmark{"safetensors", Place::kCheckpoint},
    Landmark{"_dynamo", Place::kCompiling},
    Landmark{"_inductor", Place::kCompiling},
    Landmark{"triton/compiler", Place::kCompiling},
    Landmark{"distributed_c10d.py", Place::kCommunicating},
    Landmark{"horovod/torch/mpi_ops", Place::kCommunicating},
    Landmark{"horovod/tensorflow/mpi_ops", Place::kCommunicating},
    Landmark{"evaluate", Place::kEvaluating},
    Landmark{"validat", Place::kEvaluating},
};

std::string_view clause_for(Place place) {
  switch (place) {
    case Place::kCheckpoint:
      return "it is saving or loading a checkpoint";
    case Place::kDataLoading:
      return "it waits for its data loader";
    case Place::kCompiling:
      return "it is compiling";
    case Place::kEvaluating:
      return "it is evaluating";
    case Place::kCommunicating:
      return "it is in a communication call";
    default:
      return "it is somewhere else in the program";
  }
}

Place place_of(Activity activity) {
  switch (activity) {
    case Activity::kCheckpointSave:
    case Activity::kCheckpointLoad:
      return Place::kCheckpoint;
    case Activity::kDataWait:
      return Place::kDataLoading;
    case Activity::kCompile:
      return Place::kCompiling;
    case Activity::kEvaluation:
      return Place::kEvaluating;
    default:
      return Place::kElsewhere;
  }
}

bool contains_ignoring_case(std::string_view text, std::string_view lower_word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto are_equal = [&](char left, char right) { return lower(left) == right; };
  return std::search(text.begin(), text.end(), lower_word.begin(), lower_word.end(), are_equal) != text.end();
}

Place place_of(const model::Stack& stack) {
  for (const model::Frame& frame : stack) {
    for (const Landmark& landmark : kLandmarks) {
      if (contains_ignoring_case(frame.file, landmark.word) ||
          contains_ignoring_case(frame.function, landmark.word)) {
        return landmark.place;
      }
    }
  }
  return Place::kElsewhere;
}

std::string end_in_words(const model::Rank& rank) {
  if (rank.end == RankEnd::kSignalled)
    return fmt::format("it was killed by signal {}", rank.exit_status.value_or(0));
  return fmt::format("it ended with exit status {}", rank.exit_status.value_or(1));
}

std::optional<Evidence> evidence_from(const Job& job, const RankHistory& history, model::SourceId source,
                                      std::uint32_t position, std::string text) {
  Evidence evidence{.file = source_name(job, source),
                    .line = position == 0 ? std::nullopt : std::optional<std::int64_t>(position),
                    .rank = history.rank.number,
                    .text = std::move(text)};
  return evidence;
}

std::optional<RankState> by_its_end(const Job& job, const RankHistory& history) {
  if (was_told_to_end(history) || only_lost_its_peers(job, history)) return std::nullopt;
  if (const model::Failure* first = first_failure(history)) {
    return RankState{.place = Place::kFailed,
                     .words = "it had failed by itself",
                     .evidence = evidence_from(job, history, first->source, first->position, first->message)};
  }
  if (history.rank.end == RankEnd::kSignalled || history.rank.end == RankEnd::kExited) {
    return RankState{.place = Place::kDead, .words = end_in_words(history.rank), .evidence = std::nullopt};
  }
  if (history.rank.liveness == model::Liveness::kDead) {
    return RankState{.place = Place::kDead, .words = "its process is gone", .evidence = std::nullopt};
  }
  if (history.rank.liveness == model::Liveness::kStopped) {
    return RankState{.place = Place::kStopped,
                     .words = fmt::format("its process{} is stopped, by a signal or a debugger",
                                          history.rank.pid ? fmt::format(" {}", *history.rank.pid) : ""),
                     .evidence = std::nullopt};
  }
  if (history.rank.liveness == model::Liveness::kUnresponsive) {
    return RankState{.place = Place::kDead, .words = "its process does not answer", .evidence = std::nullopt};
  }
  if (history.rank.end == RankEnd::kClean) {
    return RankState{.place = Place::kEnded, .words = "it had come to its end", .evidence = std::nullopt};
  }
  if (is_first_missed_by_its_peers(job, history)) {
    return RankState{.place = Place::kDead,
                     .words =
                         "its record ends without a goodbye, and the first error of the others is that "
                         "a connection was lost",
                     .evidence = std::nullopt};
  }
  return std::nullopt;
}

std::optional<RankState> by_its_last_activity(const Job& job, const RankHistory& history) {
  if (history.events.empty()) return std::nullopt;
  const model::Event& last = history.events.back();
  const bool is_inside = last.kind == model::EventKind::kActivity && last.end_ns == model::kNoTime;
  if (!is_inside || place_of(last.activity) == Place::kElsewhere) return std::nullopt;
  const Place place = place_of(last.activity);
  return RankState{
      .place = place,
      .words = std::string(clause_for(place)),
      .evidence = evidence_from(job, history, last.source, last.position,
                                fmt::format("{} begun, not ended", model::name_of(last.activity)))};
}

const model::StackSnapshot* main_stack(const RankHistory& history) {
  const auto main = std::ranges::find_if(history.snapshots, &model::StackSnapshot::is_main);
  const bool is_there = main != history.snapshots.end() && main->stack != model::StackId::kNone;
  return is_there ? &*main : nullptr;
}

std::optional<RankState> by_its_stack(const Job& job, const RankHistory& history) {
  const model::StackSnapshot* const main = main_stack(history);
  if (main == nullptr) return std::nullopt;
  const model::Stack& stack = job.stacks[main->stack];
  const Place place = place_of(stack);
  return RankState{.place = place,
                   .words = std::string(clause_for(place)),
                   .evidence = evidence_from(job, history, main->source, main->position, describe(stack))};
}

}  // namespace

std::string_view code_for(Place place) {
  switch (place) {
    case Place::kDead:
      return model::codes::kDeadRank;
    case Place::kStopped:
      return model::codes::kStoppedRank;
    case Place::kFailed:
      return model::codes::kFailedRank;
    case Place::kEnded:
      return model::codes::kEndedEarly;
    case Place::kCheckpoint:
    case Place::kEvaluating:
    case Place::kCompiling:
      return model::codes::kSlowWork;
    case Place::kDataLoading:
      return model::codes::kDataLoading;
    default:
      return "";
  }
}

RankState rank_state_of(const Job& job, int rank) {
  const RankHistory* history = job.find_rank(rank);
  if (history == nullptr)
    return {.place = Place::kNoEvidence, .words = "it left nothing to read", .evidence = {}};
  if (auto found = by_its_end(job, *history)) return *std::move(found);
  if (auto found = by_its_last_activity(job, *history)) return *std::move(found);
  if (auto found = by_its_stack(job, *history)) return *std::move(found);
  if (history->events.empty()) {
    return {.place = Place::kNoEvidence, .words = "what it left tells nothing", .evidence = {}};
  }
  return {.place = Place::kElsewhere, .words = "", .evidence = {}};
}

std::optional<Evidence> stack_of(const Job& job, int rank) {
  const RankHistory* history = job.find_rank(rank);
  const model::StackSnapshot* const main = history == nullptr ? nullptr : main_stack(*history);
  if (main == nullptr) return std::nullopt;
  return evidence_from(job, *history, main->source, main->position, describe(job.stacks[main->stack]));
}

std::optional<model::CodePlace> stack_place(const Job& job, int rank) {
  const RankHistory* history = job.find_rank(rank);
  const model::StackSnapshot* const main = history == nullptr ? nullptr : main_stack(*history);
  if (main == nullptr) return std::nullopt;
  return code_place(job.stacks[main->stack], {rank});
}

}  // namespace lockstep::ranks
