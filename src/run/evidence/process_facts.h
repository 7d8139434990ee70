// What /proc tells of one process, without asking the process: works for one that is stopped, stuck or ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"
#include "hostinfo/state/cgroup.h"

namespace lockstep::evidence {

struct ThreadFacts {
  pid_t tid = 0;
  std::string name;
  char state = process::kGone;
  std::string waits_in;  // the kernel's function, where it may be read
};

struct ProcessFacts {
  pid_t pid = 0;
  std::string name;
  char state = process::kGone;  // of its main thread
  std::string waits_in;
  std::string system_call;  // number and arguments, or "running"
  std::vector<std::string> kernel_stack;
  std::vector<ThreadFacts> threads;  // the first kMaxThreads
  std::uint64_t thread_count = 0;
  std::optional<std::uint64_t> resident_bytes;
  std::optional<std::uint64_t> peak_resident_bytes;
  std::optional<std::uint64_t> swapped_bytes;
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> open_files_limit;
  std::optional<std::int64_t> oom_score;
  std::optional<double> cpu_seconds;  // used since it began
  hostinfo::CgroupState cgroup;
};

inline constexpr std::size_t kMaxThreads = 64;

ProcessFacts facts_of_process(const process::Roots& roots, pid_t pid);

// "sleeps", "is stopped by a signal": a clause for a sentence.
std::string_view state_in_words(char state);

// The value of a variable in the text of /proc/PID/environ, in which each ends with a zero byte; empty: none.
std::string_view variable_in(std::string_view environ, std::string_view name);

// The rank that a launcher gave a process, by the variables it was started with.
// Nothing for a process that is no rank, or that may not be looked at.
std::optional<int> rank_of_process(const process::Roots& roots, pid_t pid);

}  // namespace lockstep::evidence
