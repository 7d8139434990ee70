// Jobs that have not started: those for which this service finds room, and those that go on to a cluster with
// a queue of its own.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "service/schedule/scheduler.h"

namespace lockstep::service {

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
