// What a process has used and waited for since it began, by the kernel's counters: the difference of two
// looks says what kept it meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

#include "base/process/proc_files.h"

namespace lockstep::evidence {

struct ProcessUsage {
  double cpu_s = 0;
  double core_wait_s = 0;  // its threads were ready to run, and others had the cores
  double disk_wait_s =
      0;  // blocked on block devices, swapping included; 0 where the kernel does not count it
  double throttled_s = 0;          // its control group had used up its share of processor time
  std::uint64_t major_faults = 0;  // pages that had to be read from a disk
  std::uint64_t swapped_bytes = 0;
};

// Nothing for a process that is gone.
std::optional<ProcessUsage> usage_of_process(const process::Roots& roots, pid_t pid);

// How much of the last ten seconds some task waited for a processor, 0 to 1; nothing where the kernel does
// not tell (/proc/pressure).
std::optional<double> processor_pressure(const process::Roots& roots);

}  // namespace lockstep::evidence
