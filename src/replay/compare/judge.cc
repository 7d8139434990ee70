#include "replay/compare/judge.h"

#include <fmt/format.h>

#include "record/recording.h"
#include "replay/compare/compare.h"
#include "replay/compare/differences.h"
#include "replay/compare/tell.h"

namespace lockstep::replay {
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
