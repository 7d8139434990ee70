#include "replay/compare/verdict.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/vocabulary.h"

#include "record/recording.h"
#include "replay/compare/compare.h"
#include "replay/compare/surroundings.h"

namespace lockstep::replay {

namespace {

constexpr std::size_t kMaxNames = 3;                     // tensors named in a line of evidence
constexpr std::size_t kMaxFrames = 8;                    // of a stack shown as evidence
constexpr std::string_view kChoices = "choices of MPI";  // what came first, kept among the calls

// "all_reduce 14 of group 0 (c10d.allreduce_, float32[524])"
std::string call_in_words(const DifferingCall& call, const std::optional<CallDetails>& details) {
  if (call.communicator == kChoices) return fmt::format("choice {} of MPI", call.call.key.sequence);
  std::string words = fmt::format("{} {} of group {}", lockstep_operation_word(call.call.operation),
                                  call.call.key.sequence, call.communicator);
  if (call.call.key.is_send || call.call.key.is_receive)
    words += fmt::format(" with rank {}", call.call.peer);
  if (!details) return words;
  return words +
         fmt::format(" ({}{}{})", details->name, details->tensors.empty() ? "" : ", ", details->tensors);
}

// Where steps are known: behind `before`, the number of that in which a call was made.
std::string step_in_words(const Comparison& comparison, const char* before, const DifferingCall& call) {
  return comparison.has_steps ? fmt::format("{}step {}", before, call.call.step + 1) : std::string();
}

// The state at the end of step n is what the calls of the next step begin with.
bool state_comes_first(const Comparison& comparison) {
  if (!comparison.first_state) return false;
  return !comparison.first_call || comparison.first_state->step <= comparison.first_call->call.step;
}

std::string names_in_words(const DifferingState& state) {
  const std::size_t shown = std::min(state.names.size(), kMaxNames);
  const std::vector<std::string> first(state.names.begin(),
                                       state.names.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string rest =
      state.names.size() > shown ? fmt::format(" and {} more", state.names.size() - shown) : std::string();
  return fmt::format("{}{}, {} of {} tensors", fmt::join(first, ", "), rest, state.names.size(), state.of);
}

// A hash tells that some differ, not which.
std::string elements_in_words(const CallDetails& details) {
  std::string words = fmt::format(", at least one of {} elements", details.elements);
  if (details.parameters.empty()) return words;
  words += fmt::format(": as many as {}", details.parameters.front());
  if (details.parameters.size() > 1) words += fmt::format(" to {}", details.parameters.back());
  return words + (details.parameters.size() > 1 ? " have together" : " has");
}

std::string title_of(const Comparison& comparison, const Compared& compared) {
  if (state_comes_first(comparison)) {
    return fmt::format("rank {}: parameters or optimizer state differ at the end of step {}", compared.rank,
                       comparison.first_state->step);
  }
  if (comparison.first_call) {
    const DifferingCall& call = *comparison.first_call;
    return fmt::format("rank {}: the {} of {} differs first{}", compared.rank,
                       call.input_differs ? "input" : "result", call_in_words(call, compared.details),
                       step_in_words(comparison, ", in ", call));
  }
  if (comparison.first_missing) {
    return fmt::format("rank {}: {} made {}{}; {} did not", compared.rank, compared.first,
                       call_in_words(*comparison.first_missing, compared.details),
                       step_in_words(comparison, ", in ", *comparison.first_missing), compared.second);
  }
  return fmt::format("rank {}: {} made {} call{} that {} did not", compared.rank, compared.second,
                     comparison.only_in_second, comparison.only_in_second == 1 ? "" : "s", compared.first);
}

void add_evidence(const Comparison& comparison, const Compared& compared, model::Finding& finding) {
  const auto add = [&](std::string text) {
    finding.evidence.push_back({.file = compared.file.string(),
                                .line = std::nullopt,
                                .rank = compared.rank,
                                .text = std::move(text)});
  };
  if (comparison.first_state) {
    add(fmt::format("end of step {}: {}", comparison.first_state->step,
                    names_in_words(*comparison.first_state)));
  }
  if (comparison.first_call) {
    const DifferingCall& call = *comparison.first_call;
    std::string text = step_in_words(comparison, "", call);
    if (!text.empty()) text += ": ";
    text += fmt::format("{}, {} bytes", call_in_words(call, compared.details), call.call.input_bytes);
    if (call.other_bytes) text += fmt::format(" against {}", *call.other_bytes);
    if (compared.details && compared.details->elements != 0) text += elements_in_words(*compared.details);
    add(std::move(text));
    if (compared.result && call.output_differs) {
      add(fmt::format("  {} of {} elements of its result differ", compared.result->differing,
                      compared.result->of));
    }
  }
  if (!compared.details) return;
  for (std::size_t i = 0; i < std::min(compared.details->stack.size(), kMaxFrames); ++i) {
    const Frame& frame = compared.details->stack[i];
    add(fmt::format("  {}:{} in {}", frame.file, frame.line, frame.function));
  }
}

std::string explain(const Comparison& comparison, const Compared& compared) {
  std::string text = growth_in_words(comparison) + ".";
  const bool inputs_differ = comparison.differing_inputs != 0 || comparison.differing_states != 0;
  if (inputs_differ && comparison.states != 0 && comparison.ends_equal) {
    text +=
        " The last step ends equal all the same: recorded results overwrite what differs, so equal ends do "
        "not prove "
        "an equal run.";
  }
  if (comparison.only_in_first != 0 || comparison.only_in_second != 0) {
    text += fmt::format(" {} calls are only in {}, {} only in {}.", comparison.only_in_first, compared.first,
                        comparison.only_in_second, compared.second);
  }
  if (compared.differences.empty()) {
    text +=
        " Program, libraries, platform, command and environment are the same, as far as they are recorded.";
  } else {
    text += fmt::format(" Between the two differ: {}.", fmt::join(compared.differences, "; "));
  }
  return text;
}

}  // namespace

std::string growth_in_words(const Comparison& comparison) {
  std::string text = fmt::format(
      "{} of {} calls were given other input, {} gave another result, {} of {} steps end with "
      "another state",
      comparison.differing_inputs, comparison.calls, comparison.differing_outputs,
      comparison.differing_states, comparison.states);
  std::vector<std::string> by_step;
  for (std::size_t step = 0; step < comparison.inputs_by_step.size() && by_step.size() < 8; ++step) {
    const std::size_t count = comparison.inputs_by_step[step];
    if (count != 0) by_step.push_back(fmt::format("step {}: {}", step + 1, count));
  }
  if (comparison.has_steps && !by_step.empty())
    text += fmt::format(" (differing inputs by step: {})", fmt::join(by_step, ", "));
  return text;
}

std::optional<model::Finding> finding_from(const Comparison& comparison, const Compared& compared) {
  if (comparison.is_equal()) return std::nullopt;
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfResult;
  finding.code = state_comes_first(comparison)                                   ? "replay.state_differs"
                 : comparison.first_call && comparison.first_call->input_differs ? "replay.input_differs"
                 : comparison.first_call                                         ? "replay.result_differs"
                                                                                 : "replay.calls_differ";
  finding.scope = model::Scope::kOrdinary;
  finding.confidence = 0.99;
  finding.root_ranks = {compared.rank};
  finding.title = title_of(comparison, compared);
  finding.explanation = explain(comparison, compared);
  add_evidence(comparison, compared, finding);
  return finding;
}

namespace {

namespace fs = std::filesystem;

enum class End { kSame, kEarly, kPastTheRecording };

// Where one of the two ends is no difference when the replay did not end by itself.
End forgive_end(Comparison& comparison, bool may_end_early) {
  if (!may_end_early) return End::kSame;
  if (comparison.only_in_first != 0) {
    comparison.only_in_first = 0;
    comparison.first_missing.reset();
    return End::kEarly;
  }
  if (comparison.only_in_second == 0) return End::kSame;
  comparison.only_in_second = 0;
  return End::kPastTheRecording;
}

std::string agreement_of(const record::Payload& recorded, const Comparison& comparison, End end) {
  switch (end) {
    case End::kEarly:
      return fmt::format(
          "rank {} ended before the recorded run did: {} of its {} calls and {} of its {} steps were "
          "compared, no "
          "difference until then",
          recorded.rank, comparison.calls, recorded.calls.size(), comparison.states, recorded.states.size());
    case End::kPastTheRecording:
      return fmt::format(
          "rank {} came to the end of its recording: all {} calls and {} steps were compared, no difference "
          "until then",
          recorded.rank, comparison.calls, comparison.states);
    default:
      return fmt::format("rank {} replayed bit for bit: {} calls and {} steps compared, no difference",
                         recorded.rank, comparison.calls, comparison.states);
  }
}

void add_limits(const Comparison& comparison, model::Verdict& verdict) {
  if (comparison.calls == 0) verdict.limits.emplace_back("no call was compared");
  if (comparison.states == 0) {
    verdict.limits.emplace_back(
        "no state was compared: no optimizer stepped, or its tensors cannot be summed");
  }
}

}  // namespace

Judgement judge(const record::Payload& recorded, const Replayed& replayed) {
  Judgement judgement;
  model::Verdict& verdict = judgement.verdict;
  verdict.job.world_size = recorded.world_size;
  verdict.job.ranks_seen = {recorded.rank};
  const auto again = record::read_payload(record::payload_path(replayed.folder, recorded.rank, 0));
  if (!again.ok()) {
    verdict.limits.emplace_back("the replay did not begin to communicate: nothing could be compared");
    return judgement;
  }
  Comparison comparison = compare_runs(recorded, again.value());
  const End end = forgive_end(comparison, replayed.may_end_early);
  const fs::path record_file = replayed.recording / record::rank_file_name(recorded.rank, recorded.restart);
  const fs::path replay_file = replayed.folder / record::rank_file_name(recorded.rank, 0);
  Compared compared{.rank = recorded.rank, .first = "the recorded run", .second = "the replay"};
  compared.file = record::payload_path("", recorded.rank, recorded.restart);
  compared.differences = differences_between(Run{recorded, record_file}, Run{again.value(), replay_file});
  if (comparison.first_call) {
    compared.details =
        find_call_details(replay_file, comparison.first_call->communicator, comparison.first_call->call);
  } else if (comparison.first_missing) {
    compared.details = find_call_details(record_file, comparison.first_missing->communicator,
                                         comparison.first_missing->call);
  }
  if (auto finding = finding_from(comparison, compared)) verdict.findings.push_back(*std::move(finding));
  add_limits(comparison, verdict);
  if (comparison.calls != 0 || end == End::kEarly)
    judgement.agreement = agreement_of(recorded, comparison, end);
  return judgement;
}

}  // namespace lockstep::replay
