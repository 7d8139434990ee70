#include "service/schedule/scheduler.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace lockstep::service {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// The largest share of anything on the machine that these resources are.
double share_of(const Resources& held, const Resources& machine) {
  const auto part = [](std::int64_t of, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(of) / static_cast<double>(whole) : 0.0;
  };
  return std::max({part(held.millicpus, machine.millicpus), part(held.memory_bytes, machine.memory_bytes),
                   part(held.gpus, machine.gpus)});
}

// The most workers that fit; 0 when even the fewest do not.
int workers_that_fit(const WaitingJob& job, const Resources& room) {
  const auto most = [&](std::int64_t each, std::int64_t all) {
    return each > 0 ? std::max<std::int64_t>(all, 0) / each : job.workers_max;
  };
  const std::int64_t fit = std::min(
      {most(job.per_worker.millicpus, room.millicpus), most(job.per_worker.memory_bytes, room.memory_bytes),
       most(job.per_worker.gpus, room.gpus), static_cast<std::int64_t>(job.workers_max)});
  return fit < job.workers_min ? 0 : static_cast<int>(fit);
}

// What is kept for the first job that does not fit.
struct Reservation {
  std::int64_t starts_ms = kNever;
  Resources spare;  // what will be free at that time besides what it needs
};

class Pass {
 public:
  Pass(const Resources& machine, const std::vector<RunningJob>& running, std::int64_t now_ms)
      : machine_(machine), running_(running), now_ms_(now_ms), room_(machine) {
    for (const RunningJob& job : running_) {
      room_ = room_ - job.held;
      held_[job.owner] = held_[job.owner] + job.held;
    }
  }

  std::vector<Start> over(std::vector<WaitingJob> waiting) {
    order_by_priority(waiting);
    std::vector<Start> starts;
    for (auto begin = waiting.begin(); begin != waiting.end();) {
      const auto end = std::find_if(begin, waiting.end(),
                                    [&](const WaitingJob& job) { return job.priority != begin->priority; });
      start_fairly(begin, end, starts);
      begin = end;
    }
    return starts;
  }

 private:
  using Iterator = std::vector<WaitingJob>::iterator;

  static void order_by_priority(std::vector<WaitingJob>& waiting) {
    std::sort(waiting.begin(), waiting.end(), [](const WaitingJob& a, const WaitingJob& b) {
      return std::tie(b.priority, a.created_ms, a.id) < std::tie(a.priority, b.created_ms, b.id);
    });
  }

  // Of each owner the oldest first; among the owners the one who holds the least.
  void start_fairly(Iterator begin, Iterator end, std::vector<Start>& starts) {
    std::map<std::string, std::vector<const WaitingJob*>> by_owner;
    for (auto job = end; job != begin;) by_owner[(--job)->owner].push_back(&*job);  // the oldest last
    while (!by_owner.empty()) {
      const auto next = std::min_element(by_owner.begin(), by_owner.end(), [&](const auto& a, const auto& b) {
        const double share_a = share_of(held_[a.first], machine_);
        const double share_b = share_of(held_[b.first], machine_);
        if (share_a != share_b) return share_a < share_b;
        return std::tie(a.second.back()->created_ms, a.first) <
               std::tie(b.second.back()->created_ms, b.first);
      });
      const WaitingJob& job = *next->second.back();
      next->second.pop_back();
      const bool is_last_of_owner = next->second.empty();
      if (const int workers = try_start(job); workers > 0) starts.push_back({job.id, workers});
      if (is_last_of_owner) by_owner.erase(next);
      if (room_.millicpus <= 0) return;
    }
  }

  int try_start(const WaitingJob& job) {
    const int workers = reservation_ ? workers_beside_reservation(job) : workers_that_fit(job, room_);
    if (workers > 0) {
      hold(job, job.per_worker * workers);
    } else if (!reservation_) {
      reserve(job);
    }
    return workers;
  }

  int workers_beside_reservation(const WaitingJob& job) const {
    const bool is_over_before = job.time_limit_s > 0 && reservation_->starts_ms != kNever &&
                                now_ms_ + std::int64_t{1000} * job.time_limit_s <= reservation_->starts_ms;
    if (is_over_before) return workers_that_fit(job, room_);
    const int workers = workers_that_fit(job, room_);
    const int beside = workers_that_fit(job, reservation_->spare);
    return std::min(workers, beside);
  }

  void hold(const WaitingJob& job, const Resources& taken) {
    room_ = room_ - taken;
    held_[job.owner] = held_[job.owner] + taken;
    const std::int64_t ends = job.time_limit_s > 0 ? now_ms_ + std::int64_t{1000} * job.time_limit_s : 0;
    if (!reservation_) {
      just_started_.push_back({job.id, job.owner, taken, ends});
    } else if (ends == 0 || ends > reservation_->starts_ms) {
      reservation_->spare = reservation_->spare - taken;
    }
  }

  // When enough will have ended for the fewest workers of this job. Jobs without a limit are counted last,
  // for a time that nobody knows.
  void reserve(const WaitingJob& job) {
    std::vector<RunningJob> ending = running_;
    ending.insert(ending.end(), just_started_.begin(), just_started_.end());
    const auto end_of = [](const RunningJob& one) { return one.must_end_ms == 0 ? kNever : one.must_end_ms; };
    std::sort(ending.begin(), ending.end(),
              [&](const RunningJob& a, const RunningJob& b) { return end_of(a) < end_of(b); });
    const Resources need = job.per_worker * job.workers_min;
    Resources free = room_;
    Reservation made;
    for (const RunningJob& one : ending) {
      free = free + one.held;
      made.starts_ms = end_of(one);
      if (made.starts_ms != kNever && need.fits_in(free)) break;
    }
    made.spare = free - need;
    reservation_ = made;
  }

  const Resources& machine_;
  const std::vector<RunningJob>& running_;
  std::int64_t now_ms_;
  Resources room_;
  std::map<std::string, Resources> held_;  // by owner
  std::vector<RunningJob> just_started_;
  std::optional<Reservation> reservation_;
};

}  // namespace

std::vector<Start> choose_starts(const Resources& machine, const std::vector<RunningJob>& running,
                                 std::vector<WaitingJob> waiting, std::int64_t now_ms) {
  return Pass(machine, running, now_ms).over(std::move(waiting));
}

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
