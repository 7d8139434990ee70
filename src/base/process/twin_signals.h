// Tells a signal for one process from one for every process of a job. Slurm signals each process of a step
// and systemd each of a unit: then the job has it already, and passing it on would be a second one. Whoever
// passes it on gets two of them then: one by way of the process above, and one directly, from the same
// sender.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <sys/types.h>

#include "base/process/signal_gate.h"

namespace lockstep::process {

class TwinSignals {
 public:
  using Clock = std::chrono::steady_clock;

  // One that came directly. True: an order was waiting for it, which next_due() gives now.
  void note_direct(const ArrivedSignal& signal, Clock::time_point now);
  // One that is to be passed on, as soon as it is known who has it.
  void hold(const ArrivedSignal& order, Clock::time_point now);

  struct Due {
    ArrivedSignal order;
    bool has_come_to_all = false;  // the job has it already
  };
  // In the order of their coming.
  std::optional<Due> next_due(Clock::time_point now);
  std::optional<Clock::time_point> next_deadline() const;

 private:
  // Who signals many processes is done with them sooner, if the machine is not very busy.
  static constexpr std::chrono::milliseconds kTogether{200};
  static constexpr std::size_t kMost = 16;  // older ones give way

  struct One {
    ArrivedSignal signal;
    Clock::time_point since;
    bool has_twin = false;
  };
  static bool are_twins(const ArrivedSignal& a, const ArrivedSignal& b) {
    return a.number == b.number && a.sender == b.sender;
  }

  std::array<One, kMost> held_;
  std::size_t held_count_ = 0;
  std::array<One, kMost> direct_;
  std::size_t direct_count_ = 0;
};

}  // namespace lockstep::process
