#include "service/waiting_line.h"

namespace lockstep::service {
namespace {

WaitingJob as_waiting(const Job& job) {
  return {.id = job.id,
          .owner = job.owner,
          .priority = job.spec.priority,
          .created_ms = job.created_ms,
          .workers_min = job.spec.workers_min,
          .workers_max = job.spec.workers_max,
          .per_worker = job.per_worker,
          .time_limit_s = job.spec.time_limit_s};
}

}  // namespace

void WaitingLine::add(const Job& job, bool goes_on) {
  if (goes_on) {
    to_hand_over_.push_back(job.id);
  } else {
    for_room_.push_back(as_waiting(job));
  }
  ids_.insert(job.id);
}

void WaitingLine::remove(const std::string& job_id) {
  std::erase_if(for_room_, [&](const WaitingJob& waiting) { return waiting.id == job_id; });
  std::erase(to_hand_over_, job_id);
  ids_.erase(job_id);
}

}  // namespace lockstep::service
