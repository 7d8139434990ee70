#include "run/watch/suspicion.h"

#include <algorithm>
#include <unistd.h>

#include "run/watch/thresholds.h"

namespace lockstep::watch {
// A job's own longest wait counts: what happened before may happen again. Until a job is known, and where the
// rank shows that it works, the patience is long.
std::int64_t patience_ns(MissingRankState of_the_missing, const WaitHistory& waits) {
  if (of_the_missing == MissingRankState::kLost) return kLostPatienceNs;
  if (of_the_missing == MissingRankState::kInACall) return kCirclePatienceNs;
  const bool is_known = waits.count() >= kMeetingsToKnowAJob;
  std::int64_t least_ns = kUnknownPatienceNs;
  if (is_known && of_the_missing == MissingRankState::kIdle) least_ns = kIdlePatienceNs;
  if (is_known && of_the_missing == MissingRankState::kBusy) least_ns = kBusyPatienceNs;
  if (of_the_missing == MissingRankState::kExcused) least_ns = kExcusedPatienceNs;
  return std::max(least_ns, kPatiencePerUsualWait * waits.longest_ns());
}

bool does_nothing(double share, double share_of_one_who_waits) {
  const bool tells = share_of_one_who_waits <= kMaxWaitingShare;
  return share < kIdleShare + (tells ? kIdlePerWaitingShare * share_of_one_who_waits : 0);
}

MissingRankState Suspicions::state_of(const LiveJob& job, int rank) {
  const auto [place, is_new] = known_.try_emplace(rank, MissingRankState::kUnknown);
  if (is_new) place->second = ask(job, rank);
  return place->second;
}

MissingRankState Suspicions::ask(const LiveJob& job, int number) {
  const LiveRank* rank = job.rank(number);
  if (rank == nullptr) return MissingRankState::kUnknown;
  if (rank->has_ended() || rank->is_gone()) return MissingRankState::kLost;
  const auto sample = rank->process().sample();
  const bool is_stopped = sample && (sample->state == 'T' || sample->state == 't');
  if (is_stopped && job.now_ns() - rank->last_word_ns() >= kQuietNs) return MissingRankState::kLost;
  if (in_a_call_.contains(number)) return MissingRankState::kInACall;
  if (rank->activity() != nullptr) return MissingRankState::kExcused;
  if (!sample) return MissingRankState::kUnknown;
  const auto share = share_of(number, *sample, job.now_ns());
  const bool is_idle = share && sample->state == 'S' && does_nothing(*share, share_of_one_who_waits_);
  return is_idle ? MissingRankState::kIdle : MissingRankState::kBusy;
}

std::optional<double> Suspicions::share_of(int rank, const ProcessSample& sample, std::int64_t now_ns) {
  Seen& seen = seen_[rank];
  const std::int64_t passed_ns = now_ns - seen.time_ns;
  if (passed_ns < kIdleLookNs) return seen.share;
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double used_s = static_cast<double>(sample.cpu_ticks - seen.cpu_ticks) / ticks_per_second;
  std::optional<double> share;
  if (seen.time_ns != 0) share = used_s / (static_cast<double>(passed_ns) / 1e9);
  seen = {.time_ns = now_ns, .cpu_ticks = sample.cpu_ticks, .share = share};
  return share;
}

void Suspicions::look_at_one_who_waits(const LiveJob& job, const std::vector<Standing>& standings) {
  const auto waiting = std::ranges::find_if(standings, [&](const Standing& standing) {
    return standing.call != nullptr && !standing.missing.empty() &&
           job.now_ns() - standing.call->begin_ns >= kLostPatienceNs;
  });
  share_of_one_who_waits_ = 0;
  if (waiting == standings.end()) return;
  const auto sample = waiting->rank->process().sample();
  if (!sample) return;
  share_of_one_who_waits_ = share_of(waiting->rank->rank(), *sample, job.now_ns()).value_or(0);
}

Suspicion Suspicions::look(const LiveJob& job) {
  const std::vector<Standing> standings = job.standings(kQuietNs);
  in_a_call_.clear();
  known_.clear();
  for (const Standing& standing : standings) {
    if (standing.call != nullptr) in_a_call_.insert(standing.rank->rank());
  }
  look_at_one_who_waits(job, standings);
  Suspicion suspicion;
  for (const Standing& standing : standings) weigh(job, standing, suspicion);
  return suspicion;
}

void Suspicions::weigh(const LiveJob& job, const Standing& standing, Suspicion& suspicion) {
  const bool is_waiting =
      standing.call != nullptr && !standing.rank->has_ended() && !standing.rank->is_gone();
  if (!is_waiting || job.now_ns() - standing.call->begin_ns < kLostPatienceNs) return;
  if (standing.missing.empty()) {
    weigh_present(job, standing, suspicion);
  } else {
    weigh_missing(job, standing, suspicion);
  }
}

void Suspicions::weigh_missing(const LiveJob& job, const Standing& standing, Suspicion& suspicion) {
  const std::int64_t waited_ns = job.now_ns() - standing.call->begin_ns;
  std::int64_t patience = 0;
  for (std::size_t i = 0; i < std::min(standing.missing.size(), kMaxAsked); ++i) {
    MissingRankState place = state_of(job, standing.missing[i]);
    if (place == MissingRankState::kLost ||
        (place == MissingRankState::kInACall && waited_ns >= kCirclePatienceNs)) {
      suspicion.is_decided = true;
    }
    if (place == MissingRankState::kInACall)
      place = MissingRankState::kIdle;  // it is late itself, or waits for one who is
    patience = std::max(patience, patience_ns(place, job.meetings().waits()));
  }
  if (waited_ns >= patience) suspicion.late_ns = std::max(suspicion.late_ns.value_or(0), patience / 2);
}

// All came and it takes its time: only a member that was lost inside makes it hopeless at once.
void Suspicions::weigh_present(const LiveJob& job, const Standing& standing, Suspicion& suspicion) {
  const std::vector<int>& members = job.communicators()[standing.call->communicator].members;
  for (std::size_t i = 0; i < std::min(members.size(), kMaxAsked); ++i) {
    if (state_of(job, members[i]) == MissingRankState::kLost) suspicion.is_decided = true;
  }
  const std::int64_t patience = patience_ns(MissingRankState::kUnknown, job.meetings().waits());
  if (job.now_ns() - standing.call->begin_ns >= patience) {
    suspicion.late_ns = std::max(suspicion.late_ns.value_or(0), patience / 2);
  }
}

}  // namespace lockstep::watch
