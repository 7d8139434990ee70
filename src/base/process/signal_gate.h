// Signals held back and read as data while a job runs; as before afterwards.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "base/process/descriptor.h"

namespace lockstep::process {

// A signal that came, and who sent it.
struct ArrivedSignal {
  int number = 0;
  pid_t sender = 0;
  bool is_from_terminal = false;  // the kernel sent it, as for Ctrl-C: to the whole process group
  bool is_about_a_child = false;  // the kernel's SIGCHLD, not one that a process sent
  int value = 0;                  // what sigqueue() sent with it; 0: nothing
};

class SignalGate {
 public:
  explicit SignalGate(std::initializer_list<int> numbers) : SignalGate(set_of(numbers)) {}

  // Every signal but those in `without`. SIGKILL and SIGSTOP cannot be held, and a fault of this program's
  // own still ends it.
  static SignalGate of_all(std::initializer_list<int> without = {}) {
    sigset_t held;
    ::sigfillset(&held);
    for (const int number : without) ::sigdelset(&held, number);
    return SignalGate(held);
  }
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;
  ~SignalGate() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  int fd() const { return queue_.get(); }
  std::optional<int> next() const {
    const auto arrived = next_arrived();
    return arrived ? std::optional(arrived->number) : std::nullopt;
  }
  std::optional<ArrivedSignal> next_arrived() const {
    signalfd_siginfo info;
    if (::read(queue_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
    return ArrivedSignal{.number = static_cast<int>(info.ssi_signo),
                         .sender = static_cast<pid_t>(info.ssi_pid),
                         .is_from_terminal = info.ssi_code == SI_KERNEL,
                         .is_about_a_child = info.ssi_signo == SIGCHLD && info.ssi_code > 0,
                         .value = info.ssi_code == SI_QUEUE ? info.ssi_int : 0};
  }

 private:
  explicit SignalGate(const sigset_t& held) {
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    queue_ = Descriptor(::signalfd(-1, &held, SFD_NONBLOCK | SFD_CLOEXEC));
  }
  static sigset_t set_of(std::initializer_list<int> numbers) {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int number : numbers) ::sigaddset(&held, number);
    return held;
  }

  sigset_t before_;
  Descriptor queue_;
};

}  // namespace lockstep::process
