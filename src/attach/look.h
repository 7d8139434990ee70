// What can be seen of the ranks of a running job from outside: nothing is asked of them, and by default none
// is stopped for a moment.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attach/running_jobs.h"
#include "base/process/proc_files.h"
#include "model/job.h"
#include "run/evidence/activity.h"

namespace lockstep::attach {

using Seconds = std::chrono::duration<double>;

// Where the thread that trains is, in one round of looking.
struct Position {
  model::Stack stack;                         // innermost first; empty: it could not be read
  std::map<std::string, std::int64_t> loops;  // "step": 4, from local variables of the user's functions
};

struct RankLook {
  RankProcess process;
  std::string host = {};
  evidence::Doing doing = evidence::Doing::kGone;
  char state = process::kGone;              // as /proc tells it
  std::string waits_in = {};                // the kernel's function
  std::optional<Seconds> blocked_for = {};  // its main thread has not run since
  std::optional<Seconds> silent_for = {};   // since its output file was written
  std::uint64_t swapped_bytes = 0;
  std::vector<Position> rounds = {};
  std::string why_no_stack = {};  // a clause
};

struct JobLook {
  RunningJob job;  // without its ranks, which stand in `ranks`
  std::vector<RankLook> ranks;
  Seconds watched{};                // from the first look to the last
  std::vector<std::string> limits;  // what could not be seen
};

struct LookOptions {
  int rounds = 3;
  std::chrono::milliseconds between{700};
  bool may_pause = false;  // let a rank stand still for the milliseconds in which its stack is read
};

JobLook look_at(const RunningJob& job, const LookOptions& options, const process::Roots& roots = {});

// What `py-spy dump --json --locals` says, of the thread that trains: the main one, unless another is in a
// call in which ranks meet.
Position position_in(std::string_view json);

// Since the thread last had a processor, from the text of /proc/PID/task/TID/sched and of /proc/uptime.
std::optional<Seconds> blocked_for(std::string_view sched, std::string_view uptime);

}  // namespace lockstep::attach
