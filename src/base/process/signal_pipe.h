// Carries signals from one process to another without losing any: of a standard signal the kernel keeps one
// pending, whoever sent it, so that a signal of somebody else's would swallow one that is passed on.
#pragma once

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "base/process/descriptor.h"
#include "base/process/signal_gate.h"
#include "base/result.h"

namespace lockstep::process {

// Made before the fork; both processes keep both ends, so that writing never meets a closed pipe.
class SignalPipe {
 public:
  static Result<SignalPipe> make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
      return Error{"cannot make a pipe", "", std::strerror(errno), ""};
    return SignalPipe(Descriptor(ends[0]), Descriptor(ends[1]));
  }

  // `how` arrives as ArrivedSignal::value, and who sent the signal that is passed on as its sender. Thousands
  // fit in before one that is not read is dropped.
  void send(int number, int how, pid_t sender = 0) const {
    const Passed passed{.number = number, .how = how, .sender = sender};
    (void)!::write(write_end_.get(), &passed, sizeof passed);  // whole or not at all: it is short
  }

  int fd() const { return read_end_.get(); }
  std::optional<ArrivedSignal> next() const {
    Passed passed;
    if (::read(read_end_.get(), &passed, sizeof passed) != static_cast<ssize_t>(sizeof passed))
      return std::nullopt;
    ArrivedSignal arrived;
    arrived.number = passed.number;
    arrived.value = passed.how;
    arrived.sender = passed.sender;
    return arrived;
  }

 private:
  struct Passed {
    int number = 0;
    int how = 0;
    pid_t sender = 0;
  };

  SignalPipe(Descriptor read_end, Descriptor write_end)
      : read_end_(std::move(read_end)), write_end_(std::move(write_end)) {}

  Descriptor read_end_;
  Descriptor write_end_;
};

}  // namespace lockstep::process
