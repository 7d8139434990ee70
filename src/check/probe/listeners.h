// Where an agent listens, and whom it answers. Who does not prove in time that it has the token is let go.
#pragma once

#include <chrono>
#include <list>
#include <poll.h>
#include <string>
#include <vector>

#include "base/process/descriptor.h"
#include "check/probe/answerer.h"
#include "check/probe/messages.h"

namespace lockstep::probe {

class Listeners {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Listeners(std::string token) : token_(std::move(token)) {}

  void be_known_as(std::uint32_t number) { own_number_ = number; }
  ListenResult open(const ListenOrder& order);

  void add_to(std::vector<pollfd>& polled);
  // `polled` as add_to() left it, with the answers of poll().
  void serve(const std::vector<pollfd>& polled, Clock::time_point now);

 private:
  struct Guest {
    process::Descriptor connection;
    Answerer answerer;
    Clock::time_point heard;
  };

  void accept_from(int listener, Clock::time_point now);
  bool serve(Guest& guest, Clock::time_point now);  // false: it is over

  std::string token_;
  std::uint32_t own_number_ = 0;
  std::vector<process::Descriptor> listeners_;
  std::list<Guest> guests_;
  std::size_t polled_from_ = 0;
};

}  // namespace lockstep::probe
