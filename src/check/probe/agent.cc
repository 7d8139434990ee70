#include "check/probe/agent.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/net/address.h"
#include "base/process/signal_gate.h"
#include "check/probe/sockets.h"

namespace lockstep::probe {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kMaxQuiet{1000};  // guests that say nothing are looked at so often
constexpr std::size_t kMaxTokenBytes = 256;
constexpr std::size_t kMaxOutcomesInOne = 32;

std::string own_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

class Agent {
 public:
  explicit Agent(AgentOptions options)
      : collect_facts_(std::move(options.collect_facts)),
        ends_(Clock::now() + options.longest),
        signals_({SIGINT, SIGTERM, SIGHUP}),
        link_(multihost::Side::kSatellite, options.token, std::move(options.in), std::move(options.out)),
        listeners_(options.token),
        calls_(options.token) {
    link_.send(Hello{own_name(), options.version});
  }

  Result<void> work() {
    while (!is_over_ && !link_.is_over() && Clock::now() < ends_) {
      wait();
      if (signals_.next()) return {};
      link_.exchange();
      while (const auto message = link_.next()) use(*message);
    }
    if (is_over_ || link_.is_trusted()) return {};
    return Error{"the probe did not begin", "", link_.is_over() ? link_.why_over() : "its time is over",
                 "the token must be the one that 'lockstep check --probe' printed"};
  }

 private:
  void wait() {
    polled_.clear();
    polled_.push_back({.fd = signals_.fd(), .events = POLLIN, .revents = 0});
    link_.add_to(polled_);
    listeners_.add_to(polled_);
    calls_.add_to(polled_);
    const auto patience = std::min(calls_.wait_at_most(Clock::now()).value_or(kMaxQuiet), kMaxQuiet);
    ::poll(polled_.data(), polled_.size(), static_cast<int>(patience.count()));
    const Clock::time_point now = Clock::now();
    listeners_.serve(polled_, now);
    calls_.serve(polled_, now);
    calls_.begin_due(now);
    if (calls_.outcomes() >= kMaxOutcomesInOne || (calls_.is_idle() && calls_.outcomes() > 0))
      link_.send(Called{calls_.take_outcomes()});
  }

  void use(const Message& message) {
    if (const auto* asked = std::get_if<AskFacts>(&message)) link_.send(Facts{collect_facts_(*asked)});
    if (const auto* listen = std::get_if<Listen>(&message)) {
      listeners_.be_known_as(listen->own_number);
      Listening listening;
      for (const ListenOrder& order : listen->orders) listening.results.push_back(listeners_.open(order));
      link_.send(listening);
    }
    if (const auto* call = std::get_if<Call>(&message)) {
      calls_.order(*call);
      calls_.begin_due(Clock::now());
    }
    if (std::holds_alternative<Bye>(message)) is_over_ = true;
  }

  std::function<std::string(const AskFacts&)> collect_facts_;
  Clock::time_point ends_;
  process::SignalGate signals_;
  ControlLink link_;
  Listeners listeners_;
  Calls calls_;
  std::vector<pollfd> polled_;
  bool is_over_ = false;
};

}  // namespace

Result<void> serve_as_agent(AgentOptions options) {
  return Agent(std::move(options)).work();
}

Result<process::Descriptor> connect_to(const std::string& host_and_port) {
  const auto to = base::host_port_in(host_and_port);
  if (!to) return Error{"this is no place to connect to", host_and_port, "", "write HOST:PORT"};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault = ::getaddrinfo(to->host.c_str(), std::to_string(to->port).c_str(), &hints, &found);
  if (fault != 0) return Error{"cannot find the host that probes", to->host, ::gai_strerror(fault), ""};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
  int reason = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    process::Descriptor connection(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connection.is_open() && ::connect(connection.get(), address->ai_addr, address->ai_addrlen) == 0) {
      set_option(connection.get(), IPPROTO_TCP, TCP_NODELAY, 1);
      return connection;
    }
    reason = errno;
  }
  return Error{"cannot reach the host that probes", host_and_port, std::strerror(reason),
               "choose an address that this host reaches with --listen of 'lockstep check --probe'"};
}

Result<std::string> read_token(int fd) {
  std::string token;
  char letter = 0;
  for (;;) {
    const ssize_t count = ::read(fd, &letter, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count == 1 && letter == '\n' && !token.empty()) return token;
    if (count != 1 || letter == '\n' || token.size() == kMaxTokenBytes) break;
    token += letter;
  }
  return Error{"there is no token to read", "standard input", "",
               "'lockstep check --probe' starts agents, or prints how to start them by hand"};
}

}  // namespace lockstep::probe
