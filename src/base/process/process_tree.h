// The processes of this host and who started whom, as /proc shows them at one instant.
#pragma once

#include <cstdint>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

#include "base/process/proc_files.h"

namespace lockstep::process {

// The numbers of all processes, ascending.
std::vector<pid_t> all_processes(const Roots& roots);

// The number may be given to another process later; with the time of its start it names one for ever.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
};

class ProcessTree {
 public:
  explicit ProcessTree(const Roots& roots);

  // Every process below `top`, parents before children, without `without` and what that started. Those that
  // have ended and wait to be reaped count too.
  std::vector<ProcessIdentity> below(pid_t top, pid_t without = 0) const;

 private:
  std::unordered_multimap<pid_t, ProcessIdentity> children_;
};

// Sends the signal to every process below this one, but not to `without` and what that started. One that has
// ended meanwhile is left alone, even if its number has been given to another.
void signal_descendants(int number, pid_t without = 0);

}  // namespace lockstep::process
