#include "run/watch/set_up_watch.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "model/finding_code.h"
#include "run/watch/live_judge.h"
#include "run/watch/thresholds.h"

namespace lockstep::watch {
namespace {

using ranks::AbsentProcess;
using ranks::AbsentRank;

// In which ranks wait for each other before any of them has called twice. hvd.init is a call itself.
bool have_met(const LiveJob& job) {
  const std::vector<const LiveRank*> ranks = job.ranks();
  return job.meetings().waits().count() > 0 ||
         std::ranges::any_of(ranks, [](const LiveRank* rank) { return rank->calls() > 1; });
}

int world_size_of(const std::vector<const LiveRank*>& ranks) {
  int size = 0;
  for (const LiveRank* rank : ranks) size = std::max(size, rank->header().world_size);
  return size;
}

bool is_this_host_alone(std::string_view place) {
  const auto is_near = [](std::string_view address) {
    return address.starts_with("127.") || address.starts_with("localhost") || address.starts_with("[::1]") ||
           address.starts_with("::1");
  };
  if (place.find('=') == std::string_view::npos) return is_near(place);
  for (std::size_t at = place.find('='); at != std::string_view::npos; at = place.find('=', at + 1)) {
    if (!is_near(place.substr(at + 1))) return false;
  }
  return true;
}

// "worker/0=127.0.0.1:1 ps/0=...": none of it, or a name of this host only.
bool meet_on_this_host(const std::vector<const LiveRank*>& ranks) {
  return std::ranges::any_of(ranks,
                             [](const LiveRank* rank) { return is_this_host_alone(rank->meeting_place()); });
}

std::vector<model::Finding> twins_of(const LiveJob& job, const model::Job& evidence) {
  std::vector<model::Finding> findings;
  for (const Twins& twins : job.twins()) {
    const LiveRank* second = job.rank(twins.rank);
    const bool both_live = second != nullptr && !second->is_gone() && !second->has_ended() &&
                           !twins.first->is_gone() && !twins.first->has_ended();
    const bool is_one_job = both_live && !second->meeting_place().empty() &&
                            second->meeting_place() == twins.first->meeting_place();
    if (!is_one_job || second->calls() > 1 || twins.first->calls() > 1) continue;
    findings.push_back(ranks::finding_of(
        evidence, ranks::SameRankTwice{.rank = twins.rank,
                                       .first_pid = static_cast<std::int64_t>(twins.first->header().pid),
                                       .second_pid = static_cast<std::int64_t>(second->header().pid)}));
  }
  return findings;
}

evidence::JobProcesses processes_of(const LiveJob& job) {
  return evidence::find_job_processes({}, std::filesystem::absolute(job.folder()).native());
}

bool is_sure(AbsentProcess process) {
  return process == AbsentProcess::kNotStarted || process == AbsentProcess::kEnded;
}

}  // namespace

AbsentRank SetUpWatch::ask(int rank, const evidence::JobProcesses& processes, bool all_are_here) {
  if (const auto there = processes.ranks.find(rank); there != processes.ranks.end())
    return {.rank = rank, .process = AbsentProcess::kThere, .pid = there->second.pid};
  if (seen_.contains(rank)) return {.rank = rank, .process = AbsentProcess::kEnded};
  const bool will_not_come = all_are_here && !processes.may_start_more;
  return {.rank = rank, .process = will_not_come ? AbsentProcess::kNotStarted : AbsentProcess::kUnknown};
}

void SetUpWatch::note_processes(const evidence::JobProcesses& processes, std::int64_t now_ns) {
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (const auto& [rank, process] : processes.ranks) {
    Seen& seen = seen_[rank];
    const auto passed_ns = static_cast<double>(now_ns - seen.since_ns);
    const bool is_another = seen.pid != process.pid;
    const double share = is_another ? 1
                                    : static_cast<double>(process.cpu_ticks - seen.cpu_ticks) /
                                          ticks_per_second / (passed_ns / 1e9);
    const bool is_idle = process.state == 'S' && share < kIdleShare;
    const std::int64_t idle_ns = is_idle ? seen.idle_ns + (now_ns - seen.since_ns) : 0;
    seen = {.pid = process.pid, .cpu_ticks = process.cpu_ticks, .since_ns = now_ns, .idle_ns = idle_ns};
  }
}

std::int64_t SetUpWatch::patience_ns(const std::vector<AbsentRank>& absent) const {
  if (std::ranges::any_of(absent, [](const AbsentRank& one) { return is_sure(one.process); }))
    return kNobodyComesNs;
  std::int64_t patience = 0;
  for (const AbsentRank& one : absent) {
    const auto seen = seen_.find(one.rank);
    const bool works = seen != seen_.end() && seen->second.idle_ns < kNobodyComesNs;
    if (one.process == AbsentProcess::kThere)
      patience = std::max(patience, works ? kExcusedPatienceNs : kUnknownPatienceNs);
    if (one.process == AbsentProcess::kUnknown) patience = std::max(patience, kElsewherePatienceNs);
  }
  return patience;
}

void SetUpWatch::weigh_absent(const LiveJob& job, const model::Job& evidence,
                              const evidence::JobProcesses& processes, std::int64_t waited_ns,
                              SetUpFaults& faults) {
  const std::vector<const LiveRank*> ranks = job.ranks();
  const bool all_are_here = processes.all_are_here || meet_on_this_host(ranks);
  std::vector<AbsentRank> absent;
  for (int rank = 0; rank < std::min(world_size_of(ranks), static_cast<int>(kMaxAsked)); ++rank) {
    if (job.rank(rank) == nullptr) absent.push_back(ask(rank, processes, all_are_here));
  }
  if (absent.empty()) complete_ = ranks.size();
  if (absent.empty() || waited_ns < patience_ns(absent)) return;
  const auto is_gone = [](const AbsentRank& one) { return is_sure(one.process); };
  // Those that are known to be gone explain the waiting; the others may just be slow.
  if (std::ranges::any_of(absent, is_gone)) {
    std::erase_if(absent, [&](const AbsentRank& one) { return !is_gone(one); });
    faults.decided.push_back(ranks::finding_of(evidence, absent, waited_ns));
    return;
  }
  const bool may_be_elsewhere = std::ranges::any_of(
      absent, [](const AbsentRank& one) { return one.process == AbsentProcess::kUnknown; });
  (may_be_elsewhere ? faults.elsewhere : faults.late)
      .push_back(ranks::finding_of(evidence, absent, waited_ns));
}

SetUpFaults SetUpWatch::look(const LiveJob& job) {
  SetUpFaults faults;
  const std::vector<const LiveRank*> ranks = job.ranks();
  faults.is_over = have_met(job);
  const bool is_settled = complete_ != 0 && ranks.size() == complete_ && job.twins().empty();
  if (job.now_ns() - looked_ns_ < kSetUpLookNs || is_settled || faults.is_over) return faults;
  if (std::exchange(looked_ns_, job.now_ns()) == 0) began_ns_ = job.now_ns();
  if (ranks.empty()) {  // one that ends while it imports must have been seen before
    if (job.now_ns() - began_ns_ < kExcusedPatienceNs) note_processes(processes_of(job), job.now_ns());
    return faults;
  }
  // A launcher that ends what is left may start all of them again.
  if (std::ranges::all_of(ranks, [](const LiveRank* rank) { return rank->is_gone() || rank->has_ended(); }))
    return faults;
  const evidence::JobProcesses processes = processes_of(job);
  note_processes(processes, job.now_ns());
  const std::size_t known = ranks.size() + job.twins().size() + seen_.size();
  if (std::exchange(known_, known) != known) changed_ns_ = job.now_ns();
  const std::int64_t waited_ns = job.now_ns() - changed_ns_;
  if (waited_ns < kNobodyComesNs) return faults;

  const model::Job evidence = evidence_of(job, 0);
  faults.decided = twins_of(job, evidence);
  if (!faults.decided.empty()) return faults;
  auto disagreement = ranks::find_set_up_disagreement(evidence);
  if (!disagreement) {
    weigh_absent(job, evidence, processes, waited_ns, faults);
  } else if (disagreement->confidence >= kSureConfidence) {
    faults.decided.push_back(*std::move(disagreement));
  } else if (waited_ns >= kUnknownPatienceNs) {
    faults.late.push_back(*std::move(disagreement));
  }
  return faults;
}

}  // namespace lockstep::watch
