// Python stacks, written by the processes themselves. A process that was started with LOCKSTEP_STACK_SIGNAL
// offers them (adapters/python/lockstep_python/stacks.py): it catches that signal, and keeps memory open in
// which its handler writes. Neither ptrace nor root is needed, and the interpreter's lock does not matter.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"

namespace lockstep::evidence {

// What `lockstep run` puts into LOCKSTEP_STACK_SIGNAL. Of the real-time signals, because nothing that trains
// gives them a meaning; in the middle, because libraries count from both ends (timers from SIGRTMIN,
// profilers from SIGRTMAX).
inline constexpr int kStackSignal = 50;

// The first line in the memory: "lockstep_stacks 1 pid 4711 descriptor 200 signal 50".
struct StackOffer {
  pid_t pid = 0;
  int descriptor = -1;
  int signal = 0;

  bool operator==(const StackOffer&) const = default;
};
std::optional<StackOffer> parse_stack_offer(std::string_view line);

// What a signal does to a thread, by /proc/PID/task/TID/syscall: computing and locks go on as if nothing had
// been, most other system calls are begun again or give EINTR, and who waits for a signal takes ours for the
// one it waits for.
enum class Disturbance : std::uint8_t { kNone, kSome, kRefused };
Disturbance disturbance_in(std::string_view system_call);

struct PythonStacks {
  std::string text;     // as faulthandler writes it, all threads
  std::string why_not;  // a clause, when a text was to be had: "it is stopped by a signal"
};

// One answer for each process, in their order. All are asked at once and together get the time. A process is
// only sent the signal when it catches it and its memory is still where it said: none can die of it, or write
// into a file of its own.
std::vector<PythonStacks> ask_for_python_stacks(const process::Roots& roots, const std::vector<pid_t>& pids,
                                                std::chrono::milliseconds time);

}  // namespace lockstep::evidence
