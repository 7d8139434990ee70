// What is left of the process that was started as `lockstep run`, once the job runs: it keeps the job's exit
// status and passes signals on. It reads no file, parses nothing and allocates nothing while the job runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/process/signal_gate.h"
#include "base/process/signal_pipe.h"

namespace lockstep::supervise {

class StatusHolder {
 public:
  // Holds back all signals from now on; made before the processes below are forked.
  explicit StatusHolder(const std::filesystem::path& recording);

  // Ends this process with the job's status, once the process that runs the job and the one that watches it
  // have ended. If the first is killed, what is left of the job is ended too. The first is told of signals by
  // `orders`.
  [[noreturn]] void hold(pid_t supervisor, pid_t watcher, const process::SignalPipe& orders);

 private:
  void take_signals();
  void take(const process::ArrivedSignal& signal);
  void tell_watcher(const process::ArrivedSignal& signal) const;
  void tell_supervisor(const process::ArrivedSignal& signal) const;
  // Until SIGCONT: a shell waits for this process to be stopped, and for none below it.
  void stop_with_watcher() const;
  void reap();
  void note_end_of_watcher(int state);
  void note_end_of_supervisor(int state);
  void end_what_is_left();

  process::SignalGate signals_;
  std::string advice_;  // what to do without a verdict
  const process::SignalPipe* orders_ = nullptr;
  pid_t supervisor_ = 0;
  pid_t watcher_ = 0;  // 0: it has ended
  std::optional<int> status_;
};

}  // namespace lockstep::supervise
