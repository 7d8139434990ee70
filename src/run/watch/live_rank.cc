#include "run/watch/live_rank.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>

#include "model/collective.h"
#include "readers/lockstep/recording.h"
#include "run/watch/thresholds.h"

namespace lockstep::watch {
namespace {

// What the members of a collective must agree on, as far as one number can tell: whoever compares it decides
// nothing by it. Sizes of exchanges differ by design.
std::uint64_t signature_of(const lockstep_call& call) {
  const auto operation = static_cast<model::Operation>(call.operation);
  std::uint64_t signature = std::uint64_t{call.operation} << 16 | std::uint64_t{call.reduce_op} << 8;
  using enum model::Operation;
  const bool is_rooted =
      operation == kBroadcast || operation == kReduce || operation == kGather || operation == kScatter;
  if (is_rooted) signature ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(call.peer)) + 1) << 24;
  if (operation == kAllReduce || operation == kBroadcast || operation == kReduce) {
    signature ^= call.data_type ^ call.payload_bytes * LOCKSTEP_CHECK_FACTOR;
  }
  return signature;
}

}  // namespace

Result<LiveRank> LiveRank::open(const std::filesystem::path& path, Communicators& communicators) {
  record::Follower follower = TRY(record::Follower::open(path));
  return LiveRank(path, std::move(follower), communicators);
}

LiveRank::LiveRank(std::filesystem::path path, record::Follower follower, Communicators& communicators)
    : path_(std::move(path)), follower_(std::move(follower)), communicators_(&communicators) {
  process_ = RankProcess(static_cast<pid_t>(header().pid), path_);
  clock_shift_ns_ = static_cast<std::int64_t>(header().wall_ns - header().monotonic_ns);
  last_word_ns_ = static_cast<std::int64_t>(header().wall_ns) + process_.clock_lead_ns();
}

std::string LiveRank::host() const {
  return {header().host, ::strnlen(header().host, sizeof header().host)};
}

bool LiveRank::is_of_this_host() const {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && host() == name;
}

std::int64_t LiveRank::wall(std::uint64_t monotonic_ns) const {
  return static_cast<std::int64_t>(monotonic_ns) + clock_shift_ns_ + process_.clock_lead_ns();
}

void LiveRank::poll(const OnCall& on_call) {
  // Asked first: what a process wrote before its end is then read before it is said to be gone.
  process_.look();
  const bool process_has_ended = process_.has_ended();
  records_ += follower_.poll([&](const record::RecordView& record) { take(record, on_call); });
  if (process_has_ended && !has_ended()) is_gone_ = true;
}

void LiveRank::take(const record::RecordView& record, const OnCall& on_call) {
  definitions_.add(record);
  switch (record.type) {
    case LOCKSTEP_RECORD_CALL:
      if (const auto* call = record.as<lockstep_call>()) take_call(*call, on_call);
      return;
    case LOCKSTEP_RECORD_DONE:
      if (const auto* done = record.as<lockstep_done>()) take_done(*done);
      return;
    case LOCKSTEP_RECORD_ACTIVITY:
      if (const auto* activity = record.as<lockstep_activity>()) take_activity(*activity);
      return;
    case LOCKSTEP_RECORD_ATTRIBUTE:
      if (const auto* attribute = record.as<lockstep_attribute>()) take_attribute(*attribute);
      return;
    case LOCKSTEP_RECORD_CLOCK:
      if (const auto* clock = record.as<lockstep_clock>()) {
        clock_shift_ns_ = static_cast<std::int64_t>(clock->wall_ns - clock->monotonic_ns);
      }
      return;
    case LOCKSTEP_RECORD_END:
      if (const auto* end = record.as<lockstep_end>()) exit_status_ = end->exit_status;
      return;
    default:
      return;
  }
}

std::uint32_t LiveRank::communicator_of(std::uint32_t id) {
  const auto [place, is_new] = numbers_.try_emplace(id, 0);
  if (is_new) place->second = communicators_->number_of(definitions_, id);
  return place->second;
}

void LiveRank::take_call(const lockstep_call& call, const OnCall& on_call) {
  LiveCall live{.communicator = communicator_of(call.communicator),
                .sequence = call.sequence,
                .operation = static_cast<model::Operation>(call.operation),
                .peer = call.peer,
                .begin_ns = wall(call.time_ns),
                .signature = signature_of(call),
                .is_repeated = false,
                .is_async = (call.flags & LOCKSTEP_CALL_ASYNC) != 0,
                .is_awaited = (call.flags & LOCKSTEP_CALL_POSTED) == 0};
  ++calls_;
  last_word_ns_ = std::max(last_word_ns_, live.begin_ns);
  if (!is_point_to_point(live.operation)) {
    std::uint64_t& last = last_issued_[live.communicator];
    live.is_repeated = live.sequence <= last;
    last = std::max(last, live.sequence);
  }
  if (open_.size() == kMaxOpenCalls) open_.pop_front();
  open_.push_back(live);
  on_call(live);
}

void LiveRank::take_done(const lockstep_done& done) {
  const std::int64_t time_ns = wall(done.time_ns);
  last_word_ns_ = std::max(last_word_ns_, time_ns);
  const std::uint32_t communicator = communicator_of(done.communicator);
  const auto operation = static_cast<model::Operation>(done.operation);
  const auto call = std::ranges::find_if(open_, [&](const LiveCall& open) {
    return open.sequence == done.sequence && open.communicator == communicator &&
           open.operation == operation && (!is_point_to_point(operation) || open.peer == done.peer);
  });
  if (call == open_.end()) return;
  if (done.status == LOCKSTEP_DONE_STARTED) {
    call->is_awaited = true;
    return;
  }
  communication_.add(call->begin_ns, time_ns);
  open_.erase(call);
}

void LiveRank::take_activity(const lockstep_activity& record) {
  const std::int64_t time_ns = wall(record.time_ns);
  last_word_ns_ = std::max(last_word_ns_, time_ns);
  const auto activity = static_cast<model::Activity>(record.activity);
  if (record.phase == LOCKSTEP_PHASE_BEGIN) {
    activities_.push_back({.activity = activity, .number = record.number, .begin_ns = time_ns});
    return;
  }
  if (activity == model::Activity::kStep) steps_.end_step(time_ns);
  const auto open = std::ranges::find_if(activities_, [&](const OpenActivity& other) {
    return other.activity == activity && other.number == record.number;
  });
  if (open == activities_.end()) return;
  if (activity == model::Activity::kDataWait) data_waits_.add(open->begin_ns, time_ns);
  activities_.erase(open);
}

void LiveRank::take_attribute(const lockstep_attribute& attribute) {
  const std::string_view key = definitions_.string(attribute.key);
  const bool is_note = key == "python adapter" || key == "nccl adapter";
  if (is_note && adapter_notes_.size() < kMaxNotesOfARank) {
    adapter_notes_.emplace_back(definitions_.string(attribute.value));
  }
  if (key == "meeting place") meeting_place_ = definitions_.string(attribute.value);
  const readers::FrameworkAttribute* named = readers::framework_attribute(key);
  if (named == nullptr) return;
  recorded_frameworks_.push_back(
      fmt::format("{} {}", named->framework, definitions_.string(attribute.value)));
  if (readers::names_rather(*named, framework_)) framework_ = named->framework;
}

std::string LiveRank::backend() const {
  for (const auto& [id, number] : numbers_) {
    if (!(*communicators_)[number].backend.empty()) return (*communicators_)[number].backend;
  }
  return {};
}

const LiveCall* LiveRank::stands_in(std::int64_t now_ns, std::int64_t quiet_ns) const {
  const bool is_quiet = now_ns - last_word_ns_ >= quiet_ns;
  const auto call = std::ranges::find_if(
      open_, [&](const LiveCall& open) { return open.is_awaited && (!open.is_async || is_quiet); });
  return call == open_.end() ? nullptr : &*call;
}

std::uint64_t LiveRank::last_issued(std::uint32_t communicator) const {
  const auto found = last_issued_.find(communicator);
  return found == last_issued_.end() ? 0 : found->second;
}

// Steps and epochs hold everything else: the innermost of the others is what it does.
const OpenActivity* LiveRank::activity() const {
  for (auto open = activities_.rbegin(); open != activities_.rend(); ++open) {
    if (open->activity != model::Activity::kStep && open->activity != model::Activity::kEpoch) return &*open;
  }
  return nullptr;
}

}  // namespace lockstep::watch
