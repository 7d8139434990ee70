// When a fault is seen in a running job: what its processes and this host can tell, before anyone ends them.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"
#include "hostinfo/state/host_state.h"
#include "run/evidence/process_facts.h"

namespace lockstep::evidence {

struct Subject {
  std::optional<int> rank;  // empty: a process of the job that is no rank, or whose rank is not known
  int restart = 0;
  pid_t pid = 0;
};

struct Request {
  std::vector<Subject> subjects;  // on this host
  std::vector<std::filesystem::path> folders = {"/dev/shm",
                                                "/tmp"};  // whose disks matter; the recording's too
  std::optional<hostinfo::HostState> host_at_begin;       // of the job; what facts_of_host gave then
  std::chrono::milliseconds time{2'000};                  // for everything but native stacks
  bool wants_native_stacks = false;                       // they stop each process for a moment
  std::chrono::milliseconds native_time{20'000};
  process::Roots roots;
};

struct Testimony {
  Subject subject;
  ProcessFacts facts;
  std::string python_stacks;  // empty: a limit says why
  std::string native_stacks;
};

struct Account {
  std::optional<hostinfo::HostState> host_at_begin;
  hostinfo::HostState host;
  std::vector<std::string> changes;  // of the host since the beginning, for people
  std::vector<Testimony> processes;  // as in the request
  std::vector<std::string> limits;   // the host's too
};

// Takes as long as the request allows at most, also when a process is stopped, dead or waits in the kernel.
Account collect(const Request& request);

}  // namespace lockstep::evidence
