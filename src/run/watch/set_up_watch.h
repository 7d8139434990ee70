// Watches a job until its ranks have met: who has not come, and whether all look for each other in one place.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "diagnose/ranks/hang/set_up_beliefs.h"
#include "model/finding.h"
#include "run/evidence/job_processes.h"
#include "run/watch/live_job.h"

namespace lockstep::watch {

struct SetUpFaults {
  std::vector<model::Finding> decided;    // nobody will come
  std::vector<model::Finding> late;       // somebody may still come
  std::vector<model::Finding> elsewhere;  // the same, perhaps from another host, which people start by hand
  bool is_over = false;                   // the ranks have met
};

class SetUpWatch {
 public:
  // Looks once a second at most, and no more once nobody is missing; empty in between.
  SetUpFaults look(const LiveJob& job);

 private:
  struct Seen {
    pid_t pid = 0;
    std::uint64_t cpu_ticks = 0;
    std::int64_t since_ns = 0;  // of the ticks
    std::int64_t idle_ns = 0;   // for how long it has used next to nothing
  };

  void weigh_absent(const LiveJob& job, const model::Job& evidence, const evidence::JobProcesses& processes,
                    std::int64_t waited_ns, SetUpFaults& faults);
  ranks::AbsentRank ask(int rank, const evidence::JobProcesses& processes, bool all_are_here);
  void note_processes(const evidence::JobProcesses& processes, std::int64_t now_ns);
  std::int64_t patience_ns(const std::vector<ranks::AbsentRank>& absent) const;

  std::int64_t began_ns_ = 0;
  std::int64_t looked_ns_ = 0;
  std::int64_t changed_ns_ = 0;  // when a rank or a process was last new
  std::size_t known_ = 0;
  std::size_t complete_ = 0;  // ranks that were there when nobody was missing and all agreed
  std::map<int, Seen> seen_;  // ranks that had a process
};

}  // namespace lockstep::watch
