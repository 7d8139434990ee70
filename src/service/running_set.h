// The attempts that run, and what they hold of this machine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "service/engine/machine.h"
#include "service/job/job.h"
#include "service/schedule/scheduler.h"
#include "service/silence.h"

namespace lockstep::service {

struct RunningAttempt {
  Job job;
  Attempt attempt;
  bool is_launched = false;
  std::optional<pid_t> child = {};  // our own supervisor, until it was reaped
  SilenceWatch silence = {};
  int adoptions = 0;  // by this service
  bool is_told_to_grow = false;
};

// By job; one attempt of each. Those of other engines hold nothing here.
class RunningSet : public std::map<std::string, RunningAttempt> {
 public:
  Resources held() const;
  bool fills(const Machine& machine) const;  // its cores
  std::vector<int> free_gpus(const Machine& machine, std::int64_t count) const;
  std::set<int> ports() const;
  std::vector<RunningJob> for_scheduler() const;
};

}  // namespace lockstep::service
