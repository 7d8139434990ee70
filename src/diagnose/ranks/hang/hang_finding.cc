#include "diagnose/ranks/hang/hang_finding.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/align.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/failed_ranks.h"
#include "diagnose/ranks/signature.h"
#include "model/finding.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

namespace {

// Equal things on many ranks as one line: a thousand ranks that wait at the same place are one piece of
// evidence.

// Events with the same call, state and stack become one entry that names all their ranks and shows the file
// of the first. Largest group first; at most `most` groups, the last of which says what was left out.
std::vector<model::Evidence> grouped_evidence(const model::Job& job, std::span<const EventPlace> places,
                                              std::size_t most = 6);

struct Group {
  EventPlace first;
  std::vector<int> ranks;
};

std::vector<Group> groups_of(const model::Job& job, std::span<const EventPlace> places) {
  using Key = std::tuple<model::CommunicatorId, std::uint64_t, model::CollectiveId, model::NameId,
                         model::EventState, model::StackId>;
  std::map<Key, Group> by_key;
  for (const EventPlace place : places) {
    const model::Event& event = event_at(job, place);
    const Key key{event.communicator, event.sequence, event.collective, event.name, event.state, event.stack};
    const auto [found, is_new] = by_key.try_emplace(key, Group{.first = place, .ranks = {}});
    found->second.ranks.push_back(job.ranks[place.rank].rank.number);
  }
  std::vector<Group> groups;
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, [](const Group& left, const Group& right) {
    if (left.ranks.size() != right.ranks.size()) return left.ranks.size() > right.ranks.size();
    return left.ranks.front() < right.ranks.front();
  });
  return groups;
}

std::vector<model::Evidence> grouped_evidence(const model::Job& job, std::span<const EventPlace> places,
                                              std::size_t most) {
  const std::vector<Group> groups = groups_of(job, places);
  std::vector<model::Evidence> all;
  for (std::size_t at = 0; at < groups.size() && at < most; ++at) {
    model::Evidence evidence = evidence_of(job, groups[at].first);
    if (groups[at].ranks.size() > 1) {
      evidence.text = fmt::format("{}: {}", ranks_in_words(groups[at].ranks), evidence.text);
    }
    const bool is_last = at + 1 == most && groups.size() > most;
    if (is_last) evidence.text += fmt::format(" (and {} more kinds of waiting)", groups.size() - most);
    all.push_back(std::move(evidence));
  }
  return all;
}

}  // namespace

using model::Evidence;

HangFindingBuilder::HangFindingBuilder(const model::Job& the_job, const PresenceTable& the_presence,
                                       std::span<const Wait> all_waits, const Cause& the_cause)
    : job(the_job),
      presence(the_presence),
      waits(all_waits),
      cause(the_cause),
      wait(all_waits[the_cause.waits.front()]) {
  finding.scope = model::Scope::kDistributed;
  finding.root_ranks = cause.roots;
  finding.victim_ranks = cause.victims;
}

std::string HangFindingBuilder::call() const {
  const Signature signature = signature_of(job, event_at(job, wait.waiting.front()));
  const std::string operation = signature.name != model::NameId::kNone
                                    ? job.names[signature.name]
                                    : std::string(model::name_of(signature.operation));
  return fmt::format("{} #{} in {}", operation, wait.sequence, describe(job, wait.communicator));
}

std::string HangFindingBuilder::since() const {
  constexpr std::int64_t kYear2001 = 1'000'000'000'000'000'000;  // before it, it is not a wall clock
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const EventPlace place : wait.waiting) {
    const model::Event& event = event_at(job, place);
    if (event.begin_ns > kYear2001 && !event.only_duration) first = std::min(first, event.begin_ns);
  }
  const bool is_known = first != std::numeric_limits<std::int64_t>::max();
  return is_known ? fmt::format(" since {}", time_in_words(first)) : std::string{};
}

std::string HangFindingBuilder::have_been_waiting() const {
  const std::vector<int> ranks = waiting_ranks();
  const bool is_one = ranks.size() == 1;
  const std::string when = since();
  return fmt::format("{} {} in {}{}. ", ranks_in_words(ranks),
                     when.empty() ? (is_one ? "is waiting" : "are waiting")
                                  : (is_one ? "has been waiting" : "have been waiting"),
                     call(), when);
}

std::vector<int> HangFindingBuilder::waiting_ranks() const {
  std::vector<int> ranks;
  for (const EventPlace place : wait.waiting) ranks.push_back(job.ranks[place.rank].rank.number);
  return ranks;
}

void HangFindingBuilder::add_waiting_evidence() {
  std::vector<EventPlace> places;
  for (const std::size_t at : cause.waits) {
    places.insert(places.end(), waits[at].waiting.begin(), waits[at].waiting.end());
  }
  for (Evidence& evidence : grouped_evidence(job, places)) finding.evidence.push_back(std::move(evidence));
  for (const Group& group : groups_of(job, places)) {
    const model::StackId stack = event_at(job, group.first).stack;
    if (stack == model::StackId::kNone) continue;
    if (auto place = code_place(job.stacks[stack], group.ranks)) add_place(finding, *std::move(place));
  }
}

void HangFindingBuilder::add_errors_of_waiting() {
  constexpr std::size_t kMax = 2;
  std::vector<std::string> told;
  for (const EventPlace place : wait.waiting) {
    const model::RankHistory& history = job.ranks[place.rank];
    const model::Failure* failure = first_failure(history);
    if (failure == nullptr || event_at(job, place).state != model::EventState::kFailed) continue;
    if (told.size() == kMax || std::ranges::find(told, failure->message) != told.end()) continue;
    told.push_back(failure->message);
    finding.evidence.push_back(
        {.file = source_name(job, failure->source),
         .line = failure->position == 0 ? std::nullopt : std::optional<std::int64_t>(failure->position),
         .rank = history.rank.number,
         .text = "it gave up: " + failure->message.substr(0, failure->message.find('\n'))});
  }
}

void HangFindingBuilder::add_last_known(int rank) {
  const model::RankHistory* history = job.find_rank(rank);
  if (history == nullptr || history->events.empty()) {
    const bool has_file = history != nullptr && !history->sources.empty();
    finding.evidence.push_back(
        {.file = has_file ? source_name(job, history->sources.front()) : std::string{},
         .line = std::nullopt,
         .rank = rank,
         .text = has_file ? "holds no event of this rank" : "no dump, log or recording of it",
         .level = model::EvidenceLevel::kAbsence});
    return;
  }
  const auto index = static_cast<std::uint32_t>(history - job.ranks.data());
  const auto last = static_cast<std::uint32_t>(history->events.size() - 1);
  Evidence evidence = evidence_of(job, {.rank = index, .event = last});
  evidence.text = "its last event: " + evidence.text;
  evidence.level = model::EvidenceLevel::kInferred;
  finding.evidence.push_back(std::move(evidence));
}

void HangFindingBuilder::add_stack(int rank, const RankState& known) {
  auto stack = stack_of(job, rank);
  if (!stack || known.place <= Place::kEnded) return;
  finding.explanation +=
      fmt::format("Rank {} is at {}. ", rank, stack->text.substr(0, stack->text.find(" < ")));
  if (auto place = stack_place(job, rank)) finding.places.insert(finding.places.begin(), *std::move(place));
  if (known.evidence != stack) finding.evidence.push_back(*std::move(stack));
}

namespace {

bool is_barrier(const model::Job& job, const model::Event& event) {
  return event.collective != model::CollectiveId::kNone &&
         job.collectives[event.collective].operation == model::Operation::kBarrier;
}

// Nothing was ever completed but barriers, as that of hvd.init: the job never got as far as training.
bool is_before_the_first_step(const HangFindingBuilder& builder) {
  const auto has_completed_something = [&](const model::RankHistory& history) {
    return !history.begins_at_start || std::ranges::any_of(history.events, [&](const model::Event& event) {
      return event.state == model::EventState::kCompleted && !is_barrier(builder.job, event);
    });
  };
  return builder.wait.sequence <= 1 && std::ranges::none_of(builder.job.ranks, has_completed_something);
}

// They have met in a barrier.
bool are_connected(const model::Job& job) {
  return std::ranges::any_of(job.ranks, [&](const model::RankHistory& history) {
    return std::ranges::any_of(history.events, [&](const model::Event& event) {
      return event.state == model::EventState::kCompleted && is_barrier(job, event);
    });
  });
}

// Gloo connects all members when a group is made, and TensorFlow's tasks meet when their servers start, so
// who waits in a call is past setting up. Others connect in the first call.
bool connects_before_the_first_call(const HangFindingBuilder& builder) {
  const std::string& backend = builder.job.communicators[builder.wait.communicator].backend;
  return backend == "gloo" || backend == "grpc" || are_connected(builder.job);
}

model::Leaf leaf_of(const HangFindingBuilder& builder) {
  if (!is_before_the_first_step(builder)) return model::Leaf::kPerfHang;
  return connects_before_the_first_call(builder) ? model::Leaf::kPrepHang : model::Leaf::kSetupHang;
}

// A job one of whose processes died has broken, even where the others wait on: training cannot communicate.
void place_by_a_death(model::Finding& finding) {
  const bool has_died = finding.code == model::codes::kDeadRank;
  if (has_died && finding.leaf == model::Leaf::kPerfHang) finding.leaf = model::Leaf::kRunComm;
}

// One that left nothing while a job is set up did not start. A rank whose own call was given up before it
// ended may have lost the others as they lost it: the way between them is looked at first.
std::vector<model::Fix> fixes_of(const HangFindingBuilder& builder) {
  const model::Finding& finding = builder.finding;
  const bool never_came =
      finding.code == model::codes::kMissingEvidence && finding.leaf == model::Leaf::kSetupHang;
  if (never_came) return catalogue::fixes_for(model::codes::kSetupRankNotStarted);
  std::vector<model::Fix> fixes = catalogue::fixes_for(finding.code);
  const bool may_be_the_way =
      finding.code == model::codes::kDeadRank && std::ranges::all_of(finding.root_ranks, [&](int rank) {
        const model::RankHistory* history = builder.job.find_rank(rank);
        return history != nullptr && was_let_down(*history);
      });
  if (!may_be_the_way) return fixes;
  std::vector<model::Fix> of_the_way = catalogue::fixes_for(model::codes::kStuckInCollective);
  of_the_way.insert(of_the_way.end(), fixes.begin(), fixes.end());
  return of_the_way;
}

void tell(HangFindingBuilder& builder) {
  switch (builder.cause.kind) {
    case CauseKind::kMissing:
      return builder.wait.kind == WaitKind::kCollective ? describe_missing(builder)
                                                        : describe_unmatched_message(builder);
    case CauseKind::kExtra:
      return describe_extra(builder);
    case CauseKind::kAllCame:
      return describe_all_came(builder);
    case CauseKind::kCircle:
      return describe_circle(builder);
  }
}

}  // namespace

model::Finding finding_of(const model::Job& job, const PresenceTable& presence, std::span<const Wait> waits,
                          const Cause& cause) {
  HangFindingBuilder builder(job, presence, waits, cause);
  builder.finding.leaf = leaf_of(builder);
  tell(builder);
  place_by_a_death(builder.finding);
  builder.add_errors_of_waiting();
  builder.finding.fixes = fixes_of(builder);
  return std::move(builder.finding);
}

}  // namespace lockstep::ranks
