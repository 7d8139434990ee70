// A sandbox for a replayed process: its own PID and mount namespaces. Copies of one image have the same PIDs
// and the same file paths, so each copy needs a sandbox of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace lockstep::checkpoint {

class Sandbox {
 public:
  // Runs `inside` in a new process, the first of the sandbox; what it returns is the exit status. Everything
  // in the sandbox ends with that process, and with this program. Needs root, and a program with a single
  // thread.
  static Result<pid_t> start(const std::function<int(Sandbox&)>& inside);

  // The methods below are for `inside` only; this one comes first. Mounts are private from here on, and /proc
  // shows the processes of the sandbox.
  Result<void> mount_own_proc();

  // Leaves the host's network for one with a loopback only. Copies of a process that uses a GPU need it: the
  // driver's socket has the same name in each.
  Result<void> isolate_network() const;

  // Makes `folder` appear at `place`.
  Result<void> bind_mount(const std::filesystem::path& folder, const std::filesystem::path& place) const;

  // The PID of a child outside the sandbox; 0: not known.
  pid_t outer_pid(pid_t child) const;

 private:
  Sandbox() = default;

  int outer_proc_ = -1;
};

// Where a task writes; `out` and `err` are for the program it starts.
struct OutputPipes {
  int out = -1;
  int err = -1;
  int error = -1;  // why the task failed
};

struct SandboxTask {
  std::function<int(const Sandbox&, const OutputPipes&)> inside;
  std::function<void(std::string_view)> on_out;  // bytes as they arrive
  std::function<void(std::string_view)> on_err;
  bool has_own_network = false;  // only a loopback
};

// Runs all tasks at once, each in its own sandbox, until the last has ended. Returns each task's exit status,
// or what it wrote to `error`. SIGINT and SIGTERM kill all of them.
std::vector<Result<int>> run_sandboxes(const std::vector<SandboxTask>& tasks);

}  // namespace lockstep::checkpoint
