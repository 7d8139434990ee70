// The sockets of an agent: those that listen and answer, and those that call.
#pragma once

#include <chrono>
#include <cstring>
#include <deque>
#include <list>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "base/net/address.h"
#include "base/process/descriptor.h"
#include "check/probe/handshake.h"
#include "check/probe/messages.h"

namespace lockstep::probe {

// An address and a port as the kernel's calls take them.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  SocketAddress(const base::Address& address, std::uint16_t port) {
    if (address.family == base::Family::kIpv4) {
      auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
      v4->sin_family = AF_INET;
      v4->sin_port = htons(port);
      std::memcpy(&v4->sin_addr, address.bytes.data(), sizeof v4->sin_addr);
      size = sizeof *v4;
    } else {
      auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
      v6->sin6_family = AF_INET6;
      v6->sin6_port = htons(port);
      std::memcpy(&v6->sin6_addr, address.bytes.data(), sizeof v6->sin6_addr);
      size = sizeof *v6;
    }
  }
  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

inline void set_option(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

// Closing then leaves nothing that waits in the kernel.
inline void leave_nothing_behind(int fd) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// Where an agent listens, and whom it answers. Who does not prove in time that it has the token is let go.
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
  bool let_a_stranger_go();                         // false: there is none
  bool serve(Guest& guest, Clock::time_point now);  // false: it is over

  std::string token_;
  std::uint32_t own_number_ = 0;
  std::vector<process::Descriptor> listeners_;
  std::list<Guest> guests_;
  Clock::time_point accepts_again_{};
  std::size_t polled_from_ = 0;
};

// The connections that an agent makes: a few at a time, each failure once more when all others are done.
//
// A call that hears nothing gives its place to the next one long before its time is over: silence costs
// nobody anything, only bursts do.
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
