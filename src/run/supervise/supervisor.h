// A process of its own that runs the job: it hands its output on, keeps it, passes signals on and leaves
// nothing behind, whatever happens to the process that watches.
#pragma once

#include <filesystem>
#include <optional>
#include <sys/types.h>

#include "base/process/descriptor.h"
#include "base/process/run.h"
#include "base/process/spawn.h"
#include "base/result.h"

namespace lockstep::supervise {

struct SupervisedEnd {
  process::RunEnd run;
  bool log_is_whole = true;
};

class Supervisor {
 public:
  // Forks: to be called while this process has one thread. The job is ended when this process is.
  static Result<Supervisor> start(const process::Command& command, const std::filesystem::path& recording);

  int fd() const { return answer_.get(); }  // readable when the job has ended
  void send(int signal) const;

  // What became of the job; an error when it could not be started. Waits for its end.
  Result<SupervisedEnd> finish();

 private:
  Supervisor(pid_t pid, process::Descriptor answer) : pid_(pid), answer_(std::move(answer)) {}

  pid_t pid_ = 0;
  process::Descriptor answer_;
};

}  // namespace lockstep::supervise
