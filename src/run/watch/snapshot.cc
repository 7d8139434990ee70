// LiveJob's snapshot: where the ranks stand, in words.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/collective.h"
#include "run/watch/live_job.h"
#include "run/watch/thresholds.h"

namespace lockstep::watch {
namespace {

std::string in_words(const LiveCall& call, const Communicators& communicators) {
  const LiveCommunicator& communicator = communicators[call.communicator];
  if (!is_point_to_point(call.operation)) {
    return fmt::format("{} {} in {}", model::name_of(call.operation), call.sequence, communicator.title());
  }
  const char* direction = call.operation == model::Operation::kSend ? "to" : "from";
  return fmt::format("{} {} {} {} in {}", model::name_of(call.operation), call.sequence, direction,
                     call.peer < 0 ? "any" : std::to_string(call.peer), communicator.title());
}

bool is_stopped(const LiveRank& rank, std::int64_t now_ns) {
  if (now_ns - rank.last_word_ns() < kShownQuietNs) return false;  // most ranks run, and asking costs a file
  const auto sample = rank.process().sample();
  return sample && (sample->state == 'T' || sample->state == 't');
}

// Of a recording whose ranks and watcher were killed together, nobody has noted the end.
bool is_absent(const LiveRank& rank, std::int64_t now_ns) {
  return rank.process().is_absent() && rank.is_of_this_host() &&
         now_ns - rank.last_word_ns() >= kAbsentQuietNs;
}

RankState state_of(const Standing& standing, bool is_awaited, bool is_over, std::int64_t now_ns) {
  const LiveRank& rank = *standing.rank;
  if (rank.has_ended()) return RankState::kEnded;
  if (is_over || rank.is_gone() || is_absent(rank, now_ns)) return RankState::kGone;
  if (is_stopped(rank, now_ns)) return RankState::kStopped;
  if (standing.call != nullptr)
    return standing.missing.empty() ? RankState::kCommunicating : RankState::kWaiting;
  if (is_awaited) return RankState::kLate;
  return rank.calls() == 0 ? RankState::kStarting : RankState::kComputing;
}

std::set<int> awaited_in(const std::vector<Standing>& standings) {
  std::set<int> awaited;
  for (const Standing& standing : standings) awaited.insert(standing.missing.begin(), standing.missing.end());
  return awaited;
}

}  // namespace

Snapshot LiveJob::snapshot() const {
  Snapshot snapshot;
  snapshot.taken_wall_ns = now_ns_;
  if (manifest_) {
    snapshot.job = manifest_->job;
    snapshot.command = manifest_->command;
    snapshot.world_size = manifest_->world_size;
    snapshot.started_wall_ns = static_cast<std::int64_t>(manifest_->started_wall_ns);
  }
  const std::vector<Standing> standings = this->standings(kShownQuietNs);
  const std::set<int> awaited = awaited_in(standings);
  snapshot.is_over = has_ended_ || !standings.empty();
  for (const Standing& standing : standings) {
    const LiveRank& rank = *standing.rank;
    RankView& view = snapshot.ranks.emplace_back();
    view.rank = rank.rank();
    view.restart = rank.restart();
    view.host = rank.host();
    view.pid = static_cast<std::int64_t>(rank.header().pid);
    view.state = state_of(standing, awaited.contains(rank.rank()), has_ended_, now_ns_);
    if (rank.has_ended() && rank.exit_status() >= 0) view.exit_status = rank.exit_status();
    std::optional<std::int64_t> since;
    if (standing.call != nullptr) {
      since = standing.call->begin_ns;
      view.doing = in_words(*standing.call, communicators_);
      view.waits_for = standing.missing;
    } else if (const OpenActivity* activity = rank.activity()) {
      since = activity->begin_ns;
      view.doing = model::name_of(activity->activity);
    }
    const bool is_over = view.state == RankState::kEnded || view.state == RankState::kGone;
    if (since && !is_over) view.for_ns = std::max<std::int64_t>(now_ns_ - *since, 0);
    view.steps = rank.steps().steps();
    view.steps_per_second = rank.steps().steps_per_second(now_ns_);
    const bool is_in_call = standing.call != nullptr;
    view.communication_share = rank.communication().share(now_ns_, is_in_call ? since : std::nullopt);
    view.data_wait_share = rank.data_waits().share(now_ns_, std::nullopt);
    if (meetings_.waits().count() != 0) view.lateness_ns = meetings_.usual_lateness_ns(rank.rank());
    view.calls = rank.calls();
    if (!is_over) snapshot.is_over = has_ended_;
    if (snapshot.framework.empty()) snapshot.framework = rank.framework();
    if (!snapshot.world_size && rank.header().world_size > 0) snapshot.world_size = rank.header().world_size;
    if (snapshot.started_wall_ns == 0)
      snapshot.started_wall_ns = static_cast<std::int64_t>(rank.header().wall_ns);
    if (snapshot.backend.empty()) snapshot.backend = rank.backend();
  }
  return snapshot;
}

}  // namespace lockstep::watch
