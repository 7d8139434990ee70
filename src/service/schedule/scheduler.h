// Which queued jobs to start now. A pure function: the service asks again whenever something has changed.
//
// Order: priority, then the user who holds the least of the machine, then who came first. A job starts with
// all its ranks or not at all. When the next job in this order does not fit, a place is kept for it: later
// ones may start only if they are over before it could start, or leave it the room it needs then.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "service/job/job.h"

namespace lockstep::service {

struct WaitingJob {
  std::string id;
  std::string owner;
  int priority = 0;
  std::int64_t created_ms = 0;
  int workers_min = 1;
  int workers_max = 1;
  Resources per_worker;
  int time_limit_s = 0;  // 0: none
};

struct RunningJob {
  std::string id;
  std::string owner;
  Resources held;
  std::int64_t must_end_ms = 0;  // by its time limit; 0: it may run for ever
};

struct Start {
  std::string id;
  int workers = 0;
  int nodes = 1;

  bool operator==(const Start&) const = default;
};

std::vector<Start> choose_starts(const Resources& machine, const std::vector<RunningJob>& running,
                                 std::vector<WaitingJob> waiting, std::int64_t now_ms);

// Jobs that have not started: those for which this service finds room, and those that go on to a cluster with
// a queue of its own.

class WaitingLine {
 public:
  void add(const Job& job, bool goes_on);
  void remove(const std::string& job_id);

  bool contains(const std::string& job_id) const { return ids_.contains(job_id); }
  std::size_t size() const { return ids_.size(); }
  const std::vector<WaitingJob>& for_room() const { return for_room_; }
  const std::vector<std::string>& to_hand_over() const { return to_hand_over_; }

 private:
  std::vector<WaitingJob> for_room_;
  std::vector<std::string> to_hand_over_;
  std::unordered_set<std::string> ids_;
};

}  // namespace lockstep::service
