// Which ranks of a job have a process on this host, whether or not they have begun to communicate.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/process/proc_files.h"

namespace lockstep::evidence {

struct RankOfJob {
  pid_t pid = 0;
  char state = process::kGone;
  std::uint64_t cpu_ticks = 0;
};

struct JobProcesses {
  std::map<int, RankOfJob> ranks;
  bool all_are_here = false;  // the launcher says that every rank runs on this host
  // Something else runs below the job: a script that sleeps between two starts, an ssh to another host.
  bool may_start_more = false;
};

// Of the job whose processes were started with LOCKSTEP_RECORD=`recording`.
JobProcesses find_job_processes(const process::Roots& roots, std::string_view recording);

}  // namespace lockstep::evidence
