// What processes do while they are watched for a moment: nothing is asked of them, and none is stopped.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"

namespace lockstep::evidence {

enum class Doing : std::uint8_t {
  kGone,
  kStopped,  // by a signal
  kWaits,    // wants next to no processor time
  kPolls,    // asks the kernel again and again, and nothing comes
  kWorks
};

struct Activity {
  pid_t pid = 0;
  Doing doing = Doing::kGone;
  double cpu_seconds = 0;                       // used since it began
  std::optional<long> waits_in = std::nullopt;  // the system call of its main thread
};

// One for each process, in their order.
std::vector<Activity> watch_activity(const process::Roots& roots, std::span<const pid_t> pids,
                                     std::chrono::milliseconds time);

}  // namespace lockstep::evidence
