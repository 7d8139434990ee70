#include "service/running_set.h"

namespace lockstep::service {

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

}  // namespace lockstep::service
