#include "service/running_set.h"

#include <fmt/format.h>

#include "service/engine/plan.h"

namespace lockstep::service {
namespace {

// A child is asked the cheap way while it lives; what is left of a lost supervisor's job holds its lock on.
bool has_living_child(RunningAttempt& active, Engine& engine) {
  if (!active.child) return false;
  if (engine.is_running(*active.child)) return true;
  active.child.reset();
  return false;
}

}  // namespace

Result<Need> need_of(RunningAttempt& active, Engine& engine) {
  if (has_living_child(active, engine)) return Need::kNothing;
  const Standing standing = TRY(engine.standing(active.job.id, active.attempt.number));
  if (standing == Standing::kAtWork) return Need::kNothing;
  if (standing == Standing::kNotBegun) return Need::kStart;
  const bool runs_on = standing == Standing::kLost && active.job.engine != EngineKind::kLocal;
  return runs_on && active.adoptions < kMaxAdoptions ? Need::kSupervisor : Need::kEnd;
}

Resources RunningSet::held() const {
  Resources held;
  for (const auto& [id, active] : *this) {
    if (active.job.engine == EngineKind::kLocal) held = held + active.job.per_worker * active.attempt.workers;
  }
  return held;
}

bool RunningSet::fills(const Machine& machine) const {
  return held().millicpus >= machine.total.millicpus;
}

std::vector<RunningJob> RunningSet::for_scheduler() const {
  std::vector<RunningJob> all;
  for (const auto& [id, active] : *this) {
    if (active.job.engine != EngineKind::kLocal) continue;
    const int limit_s = active.job.spec.time_limit_s;
    all.push_back({id, active.job.owner, active.job.per_worker * active.attempt.workers,
                   limit_s > 0 ? active.attempt.started_ms + std::int64_t{1000} * limit_s : 0});
  }
  return all;
}

Result<RunningAttempt> RunningSet::next_attempt(Job job, const Start& start, const Machine& machine,
                                                std::int64_t now_ms) const {
  RunningAttempt active;
  active.job = std::move(job);
  Attempt& attempt = active.attempt;
  attempt.job_id = active.job.id;
  attempt.number = ++active.job.attempts;
  attempt.workers = start.workers;
  attempt.started_ms = now_ms;
  attempt.nodes = start.nodes;
  if (active.job.engine == EngineKind::kLocal) {
    attempt.ports = TRY(free_ports(ports_needed(active.job.framework, start.workers), ports()));
    attempt.gpus = free_gpus(machine, active.job.per_worker.gpus * start.workers);
  }
  active.job.state = attempt.state = JobState::kRunning;
  active.job.reason.clear();
  if (active.job.started_ms == 0) active.job.started_ms = now_ms;
  return active;
}

std::vector<int> RunningSet::free_gpus(const Machine& machine, std::int64_t count) const {
  std::set<int> given;
  for (const auto& [id, active] : *this) given.insert(active.attempt.gpus.begin(), active.attempt.gpus.end());
  std::vector<int> free;
  for (const int gpu : machine.gpus) {
    if (static_cast<std::int64_t>(free.size()) < count && !given.contains(gpu)) free.push_back(gpu);
  }
  return free;
}

std::set<int> RunningSet::ports() const {
  std::set<int> taken;
  for (const auto& [id, active] : *this)
    taken.insert(active.attempt.ports.begin(), active.attempt.ports.end());
  return taken;
}

std::string in_ranks(std::int64_t count) {
  return fmt::format("{} rank{}", count, count == 1 ? "" : "s");
}

}  // namespace lockstep::service
