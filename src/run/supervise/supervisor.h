// Three processes hold a job, so that none of them can harm it: the first keeps its exit status and passes
// signals on, the second runs it and hands its output on, the third watches and may die of what it reads.
//
// Whichever of the first two is killed, the other ends the job: nothing of it is left behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/types.h>
#include <utility>

#include "base/process/descriptor.h"
#include "base/process/run.h"
#include "base/process/signal_gate.h"
#include "base/process/signal_pipe.h"
#include "base/process/spawn.h"
#include "base/result.h"

namespace lockstep::supervise {

struct SupervisedEnd {
  process::RunEnd run;
  bool log_is_whole = true;
  bool was_lost = false;  // the process that ran it was killed, and the job then ended with it
};

// What becomes of the process that calls Supervisor::start().
enum class Caller : std::uint8_t {
  kWatches,      // it goes on, and whoever started it gets its exit status
  kHoldsStatus,  // it goes on in a child: itself it waits, and exits with the job's status whatever the child
                 // does
};

class Supervisor {
 public:
  // Forks: to be called while this process has one thread. The job is ended when this process is. Signals
  // that the caller holds back stay so in the process that watches.
  static Result<Supervisor> start(const process::Command& command, const std::filesystem::path& recording,
                                  Caller caller = Caller::kWatches);

  int fd() const { return answer_.get(); }  // readable when the job has ended
  // Whether a signal of that number asks the job to end: not one that `lockstep run` was started to ignore.
  bool asks_to_end(int signal) const;
  // Hands on a signal that came for the job. Where another process holds the status, the job has it already.
  void pass_on(const process::ArrivedSignal& signal) const;
  // The job is asked to end, and killed if it goes on.
  void end_job() const;

  // What became of the job; an error when it could not be started. Waits for its end.
  Result<SupervisedEnd> finish();

 private:
  Supervisor(pid_t pid, Caller caller, process::Descriptor answer, process::SignalPipe orders)
      : pid_(pid),
        caller_(caller),
        is_of_a_run_(caller == Caller::kHoldsStatus),
        answer_(std::move(answer)),
        orders_(std::move(orders)) {}
  void order(int signal) const;

  pid_t pid_ = 0;
  Caller caller_;
  bool is_of_a_run_;  // its status is said as the job's whatever happens; also where no watcher could be
                      // forked
  process::Descriptor answer_;
  process::SignalPipe orders_;
};

}  // namespace lockstep::supervise
