#include "readers/nccl/ras_findings.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "readers/nccl/words.h"

namespace lockstep::readers {

namespace {

using model::CommunicatorId;
using model::EventState;
using model::Liveness;
using model::Operation;

constexpr model::SourceId kRasFindingsThisSource{0};

EventState state_of_creation(std::int64_t result) {
  if (result == 0) return EventState::kCompleted;
  return result == kNcclInProgress ? EventState::kIssued : EventState::kFailed;
}

}  // namespace

void RasFindings::set_liveness(Roster::Process process, Liveness liveness) {
  roster_.history(process).rank.liveness = liveness;
}

void RasFindings::set_count(Roster::Process process, CommunicatorId communicator, Operation operation,
                            std::int64_t count, std::uint32_t line) {
  counts_[{communicator, operation, process}] = {.launched = count, .line = line};
}

void RasFindings::set_creation(Roster::Process process, CommunicatorId communicator, std::int64_t result,
                               std::uint32_t line) {
  creations_[{communicator, process}] = {.result = result, .line = line};
}

void RasFindings::add_error(Roster::Process process, CommunicatorId communicator, std::string_view kind,
                            std::string_view error, std::uint32_t line) {
  if (error.empty()) return;
  errors_.try_emplace({process, communicator, fmt::format("{} {}", kind, error)}, line);
}

void RasFindings::add_monitor_event(std::string_view event, std::string_view host, std::int64_t pid) {
  if (event == "PEER_DEAD") set_liveness_of_all(host, pid, Liveness::kDead);
  if (event == "PEER_UNRESPONSIVE") set_liveness_of_all(host, pid, Liveness::kUnresponsive);
}

void RasFindings::set_liveness_of_all(std::string_view host, std::int64_t pid, Liveness liveness) {
  for (const Roster::Process process : roster_.devices_of(host, pid)) set_liveness(process, liveness);
}

// A kind of operation that no rank of the communicator launched says nothing.
void RasFindings::write_counts() {
  std::set<std::pair<CommunicatorId, Operation>> launched;
  for (const auto& [key, count] : counts_) {
    if (count.launched > 0) launched.emplace(std::get<0>(key), std::get<1>(key));
  }
  for (const auto& [key, count] : counts_) {
    const auto [communicator, operation, process] = key;
    if (!launched.contains({communicator, operation})) continue;
    roster_.history(process).progress.push_back({.communicator = communicator,
                                                 .operation = operation,
                                                 .issued = count.launched,
                                                 .started = std::nullopt,
                                                 .completed = std::nullopt,
                                                 .source = kRasFindingsThisSource,
                                                 .position = count.line});
  }
}

// Only where somebody did not finish: then the others are the ones who did.
void RasFindings::write_creations(model::Job& job) {
  std::set<CommunicatorId> unfinished;
  for (const auto& [key, creation] : creations_) {
    if (creation.result != 0) unfinished.insert(std::get<0>(key));
  }
  if (unfinished.empty()) return;
  model::Collective creating;
  creating.operation = Operation::kCreateCommunicator;
  const model::CollectiveId collective = job.collectives.intern(creating);
  for (const auto& [key, creation] : creations_) {
    const auto [communicator, process] = key;
    if (!unfinished.contains(communicator)) continue;
    model::Event event;
    event.state = state_of_creation(creation.result);
    event.communicator = communicator;
    event.sequence = 0;
    event.collective = collective;
    event.source = kRasFindingsThisSource;
    event.position = creation.line;
    job.ranks[process].events.push_back(event);
  }
}

void RasFindings::write_errors(model::Job& job) {
  for (const auto& [key, line] : errors_) {
    const auto& [process, communicator, text] = key;
    job.ranks[process].failures.push_back(
        {.message = fmt::format("NCCL communicator {}: {}", job.communicators[communicator].name, text),
         .stack = model::StackId::kNone,
         .time_ns = model::kNoTime,
         .source = kRasFindingsThisSource,
         .position = line});
  }
  for (const auto& [key, creation] : creations_) {
    if (nccl_error(creation.result).empty()) continue;
    const auto [communicator, process] = key;
    job.ranks[process].failures.push_back(
        {.message = fmt::format("NCCL communicator {}: initialization {}",
                                job.communicators[communicator].name, nccl_error(creation.result)),
         .stack = model::StackId::kNone,
         .time_ns = model::kNoTime,
         .source = kRasFindingsThisSource,
         .position = creation.line});
  }
}

model::Job RasFindings::finish(const Source& source, const std::vector<int>& numbers) {
  write_counts();
  model::Job job = roster_.finish(source, numbers);
  write_creations(job);
  write_errors(job);
  return job;
}

void name_the_rest(std::vector<RasShare>& shares, int communicator_size, const std::set<int>& absent) {
  const auto is_unnamed = [](const RasShare& share) { return share.named.empty(); };
  if (communicator_size <= 0 || communicator_size > model::kMaxRanks ||
      std::ranges::count_if(shares, is_unnamed) != 1)
    return;
  std::set<int> taken = absent;
  std::int64_t counted = static_cast<std::int64_t>(absent.size());
  for (const RasShare& share : shares) {
    counted += share.ranks;
    taken.insert(share.named.begin(), share.named.end());
  }
  RasShare& rest = *std::ranges::find_if(shares, is_unnamed);
  const bool adds_up =
      counted == communicator_size && std::cmp_equal(taken.size(), communicator_size - rest.ranks);
  if (!adds_up || (!taken.empty() && (*taken.begin() < 0 || *taken.rbegin() >= communicator_size))) return;
  for (int rank = 0; rank < communicator_size; ++rank) {
    if (!taken.contains(rank)) rest.named.push_back(rank);
  }
}

}  // namespace lockstep::readers
