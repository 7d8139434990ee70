// The connections that an agent makes: a few at a time, each failure once more when all others are done.
//
// A call that hears nothing gives its place to the next one long before its time is over: silence costs
// nobody anything, only bursts do.
#pragma once

#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

#include "base/process/descriptor.h"
#include "check/probe/caller.h"
#include "check/probe/messages.h"

namespace lockstep::probe {

class Calls {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Calls(std::string token) : token_(std::move(token)) {}

  void order(const Call& call);
  void begin_due(Clock::time_point now);

  void add_to(std::vector<pollfd>& polled);
  void serve(const std::vector<pollfd>& polled, Clock::time_point now);

  std::size_t outcomes() const { return outcomes_.size(); }
  std::vector<Outcome> take_outcomes() { return std::exchange(outcomes_, {}); }
  bool is_idle() const { return first_.empty() && again_.empty() && live_.empty(); }
  // Until something is due; nothing when nothing is under way.
  std::optional<std::chrono::milliseconds> wait_at_most(Clock::time_point now) const;

 private:
  struct Live {
    CallOrder order;
    int attempt = 1;
    process::Descriptor connection;
    Caller caller;
    Clock::time_point began;
    Clock::time_point moved;  // it went a step further
    bool is_connected = false;
    std::uint64_t connect_ns = 0;
  };

  void begin(const CallOrder& order, int attempt, Clock::time_point now);
  std::optional<End> go_on(Live& call, bool can_read, Clock::time_point now, int& error);
  std::optional<End> talk(Live& call, bool can_read, Clock::time_point now, int& error);
  static void say(Live& call);
  void finish(const Live& call, End end, int error);
  std::chrono::milliseconds patience_for(const Live& call) const;
  std::size_t busy(Clock::time_point now) const;

  std::string token_;
  std::chrono::milliseconds timeout_{1000};
  std::chrono::milliseconds retry_timeout_{2000};
  std::size_t at_once_ = 1;
  std::deque<CallOrder> first_;
  std::deque<CallOrder> again_;
  std::list<Live> live_;
  std::vector<Outcome> outcomes_;
  std::size_t polled_from_ = 0;
};

}  // namespace lockstep::probe
