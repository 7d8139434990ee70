// Signals held back and read as data while a job runs; as before afterwards.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>
#include <sys/signalfd.h>

#include "base/process/descriptor.h"

namespace lockstep::process {

class SignalGate {
 public:
  explicit SignalGate(std::initializer_list<int> numbers) {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int number : numbers) ::sigaddset(&held, number);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    queue_ = Descriptor(::signalfd(-1, &held, SFD_NONBLOCK | SFD_CLOEXEC));
  }
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;
  ~SignalGate() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  int fd() const { return queue_.get(); }
  std::optional<int> next() const {
    signalfd_siginfo info;
    if (::read(queue_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
    return static_cast<int>(info.ssi_signo);
  }

 private:
  sigset_t before_;
  Descriptor queue_;
};

}  // namespace lockstep::process
