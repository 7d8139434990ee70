#include "check/probe/sockets.h"

#include <algorithm>
#include <cerrno>
#include <netinet/tcp.h>
#include <random>

namespace lockstep::probe {
namespace {

constexpr int kWaiting = 1024;                               // connections that were not accepted yet
constexpr std::size_t kMaxGuests = 512;                      // at once
constexpr int kPortsToTry = 24;                              // of a range
constexpr std::size_t kMaxReadBytes = std::size_t{1} << 20;  // at a time
// When no descriptor is left: the listener would wake us at once.
constexpr std::chrono::milliseconds kAcceptPause{500};
constexpr std::chrono::seconds kGuestProofTimeout{5};
constexpr std::chrono::seconds kGuestTimeout{20};

int listen_at(const base::Address& address, std::uint16_t port, process::Descriptor& made) {
  const SocketAddress at(address, port);
  process::Descriptor listener(::socket(at.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!listener.is_open()) return errno;
  set_option(listener.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (at.family() == AF_INET6) set_option(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (::bind(listener.get(), at.get(), at.size) != 0 || ::listen(listener.get(), kWaiting) != 0) return errno;
  made = std::move(listener);
  return 0;
}

}  // namespace

ListenResult Listeners::open(const ListenOrder& order) {
  std::minstd_rand random(std::random_device{}());
  std::uniform_int_distribution<int> any(order.first_port, order.last_port);
  const int tries = order.first_port == order.last_port ? 1 : kPortsToTry;
  ListenResult result{.id = order.id, .port = order.first_port, .error = EADDRINUSE};
  process::Descriptor listener;
  for (int at = 0; at < tries && result.error == EADDRINUSE; ++at) {
    result.port = static_cast<std::uint16_t>(any(random));
    result.error = listen_at(order.address, result.port, listener);
  }
  if (result.error == 0) listeners_.push_back(std::move(listener));
  return result;
}

void Listeners::add_to(std::vector<pollfd>& polled) {
  polled_from_ = polled.size();
  const bool is_paused = Clock::now() < accepts_again_;
  for (const process::Descriptor& listener : listeners_)
    polled.push_back({.fd = is_paused ? -1 : listener.get(), .events = POLLIN, .revents = 0});
  for (const Guest& guest : guests_) {
    const short events = guest.answerer.unsent().empty() ? POLLIN : POLLIN | POLLOUT;
    polled.push_back({.fd = guest.connection.get(), .events = events, .revents = 0});
  }
}

void Listeners::serve(const std::vector<pollfd>& polled, Clock::time_point now) {
  std::size_t at = polled_from_ + listeners_.size();
  for (auto guest = guests_.begin(); guest != guests_.end(); ++at) {
    const auto patience = guest->answerer.is_trusted() ? kGuestTimeout : kGuestProofTimeout;
    const bool is_over = polled[at].revents != 0 ? !serve(*guest, now) : now - guest->heard > patience;
    guest = is_over ? guests_.erase(guest) : std::next(guest);
  }
  for (std::size_t number = 0; number < listeners_.size(); ++number)
    if (polled[polled_from_ + number].revents != 0) accept_from(listeners_[number].get(), now);
}

void Listeners::accept_from(int listener, Clock::time_point now) {
  for (std::size_t taken = 0; taken < kMaxGuests; ++taken) {  // others have their turn too
    process::Descriptor connection(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!connection.is_open()) {
      if (errno != EAGAIN) accepts_again_ = now + kAcceptPause;
      return;
    }
    leave_nothing_behind(connection.get());
    if (guests_.size() >= kMaxGuests && !let_a_stranger_go()) continue;
    set_option(connection.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    guests_.push_back({std::move(connection), Answerer(token_, own_number_, fresh_nonce()), now});
  }
}

// An agent proves itself with its first words: whoever says nothing gives way to those who come later.
bool Listeners::let_a_stranger_go() {
  const auto stranger =
      std::ranges::find_if(guests_, [](const Guest& guest) { return !guest.answerer.is_trusted(); });
  if (stranger == guests_.end()) return false;
  guests_.erase(stranger);
  return true;
}

bool Listeners::serve(Guest& guest, Clock::time_point now) {
  char buffer[std::size_t{64} << 10];
  bool is_open = true;
  for (std::size_t read = 0; is_open && read < kMaxReadBytes;) {
    const ssize_t count = ::recv(guest.connection.get(), buffer, sizeof buffer, 0);
    if (count < 0 && errno == EAGAIN) break;
    is_open = count > 0;
    if (!is_open) break;
    guest.answerer.take({buffer, static_cast<std::size_t>(count)});
    read += static_cast<std::size_t>(count);
    guest.heard = guest.answerer.is_trusted() ? now : guest.heard;
    if (static_cast<std::size_t>(count) < sizeof buffer) break;  // that was all
  }
  while (is_open && !guest.answerer.unsent().empty()) {
    const std::string_view bytes = guest.answerer.unsent();
    const ssize_t count = ::send(guest.connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) break;
    is_open = count > 0;
    if (is_open) guest.answerer.wrote(static_cast<std::size_t>(count));
  }
  return is_open && !guest.answerer.is_refused();
}

namespace {

using std::chrono::milliseconds;

// A call that is not answered by then gives its place to the next one, and goes on beside it.
constexpr milliseconds kKeepsItsPlace{150};
constexpr milliseconds kStreamTimeout{10'000};
// Once connected a call has so many times its timeout: its large message may have to be sent again.
constexpr int kMorePatience = 4;
// Calls at once in all: sockets of one process.
constexpr std::size_t kMaxCallsAtOnce = 256;

End end_for(int error) {
  switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
      return End::kRefused;
    case ETIMEDOUT:
      return End::kSilent;
    case EADDRNOTAVAIL:
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
      return End::kNotTried;
    default:
      return End::kUnreachable;
  }
}

}  // namespace

void Calls::order(const Call& call) {
  timeout_ = milliseconds(call.timeout_ms);
  retry_timeout_ = milliseconds(call.retry_timeout_ms);
  at_once_ = std::min<std::size_t>(call.at_once, kMaxCallsAtOnce);
  first_.insert(first_.end(), call.orders.begin(), call.orders.end());
}

std::size_t Calls::busy(Clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      live_, [&](const Live& call) { return call.is_connected || now - call.began < kKeepsItsPlace; }));
}

void Calls::begin_due(Clock::time_point now) {
  std::size_t places = at_once_ - std::min(at_once_, busy(now));
  const auto begin_from = [&](std::deque<CallOrder>& queue, int attempt) {
    for (; places > 0 && !queue.empty() && live_.size() < kMaxCallsAtOnce; --places) {
      const CallOrder order = queue.front();
      queue.pop_front();
      begin(order, attempt, now);
    }
  };
  begin_from(first_, 1);
  if (first_.empty()) begin_from(again_, 2);
}

void Calls::begin(const CallOrder& order, int attempt, Clock::time_point now) {
  const Request request{
      .large_bytes = order.large_bytes, .echoes = order.echoes, .stream_bytes = order.stream_bytes};
  const SocketAddress to(order.destination, order.port);
  Live call{
      .order = order,
      .attempt = attempt,
      .connection = process::Descriptor(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      .caller = Caller(token_, order.host, request, fresh_nonce()),
      .began = now,
      .moved = now};
  const int fd = call.connection.get();
  if (fd < 0) return finish(call, End::kNotTried, errno);
  leave_nothing_behind(fd);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (order.is_bound) {
    const SocketAddress from(order.source, 0);
    if (::bind(fd, from.get(), from.size) != 0) return finish(call, End::kNotTried, errno);
  }
  if (::connect(fd, to.get(), to.size) != 0 && errno != EINPROGRESS)
    return finish(call, end_for(errno), errno);
  live_.push_back(std::move(call));
}

void Calls::add_to(std::vector<pollfd>& polled) {
  polled_from_ = polled.size();
  for (const Live& call : live_) {
    const bool writes = !call.is_connected || !call.caller.unsent().empty();
    const short events = writes ? POLLIN | POLLOUT : POLLIN;
    polled.push_back({.fd = call.connection.get(), .events = events, .revents = 0});
  }
}

void Calls::serve(const std::vector<pollfd>& polled, Clock::time_point now) {
  std::size_t at = polled_from_;
  for (auto call = live_.begin(); call != live_.end(); ++at) {
    int error = 0;
    std::optional<End> end;
    if (polled[at].revents != 0) end = go_on(*call, (polled[at].revents & ~POLLOUT) != 0, now, error);
    if (!end && now - call->moved > patience_for(*call))
      end = call->is_connected ? call->caller.end() : End::kSilent;
    if (end) finish(*call, *end, error);
    call = end ? live_.erase(call) : std::next(call);
  }
}

std::optional<End> Calls::go_on(Live& call, bool can_read, Clock::time_point now, int& error) {
  if (!call.is_connected) {
    socklen_t size = sizeof error;
    ::getsockopt(call.connection.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return end_for(error);
    call.is_connected = true;
    call.moved = now;
    call.connect_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::nanoseconds>(now - call.began).count()));
    if (!call.order.meets_agent) return End::kOpenToOther;
  }
  return talk(call, can_read, now, error);
}

void Calls::say(Live& call) {
  while (!call.caller.unsent().empty()) {
    const std::string_view bytes = call.caller.unsent();
    const ssize_t count = ::send(call.connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) return;
    call.caller.wrote(static_cast<std::size_t>(count));
  }
}

std::optional<End> Calls::talk(Live& call, bool can_read, Clock::time_point now, int& error) {
  const int steps = call.caller.steps();
  char buffer[std::size_t{64} << 10];
  while (can_read) {
    const ssize_t count = ::recv(call.connection.get(), buffer, sizeof buffer, 0);
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) error = errno;
    if (count <= 0) return call.caller.end() == End::kOpen ? End::kOpen : End::kNoAnswer;
    call.caller.take({buffer, static_cast<std::size_t>(count)}, Clock::now());
    if (call.caller.is_over()) return call.caller.end();
    can_read = count == sizeof buffer;  // less: that was all
  }
  say(call);
  if (call.caller.steps() != steps) call.moved = now;
  return std::nullopt;
}

void Calls::finish(const Live& call, End end, int error) {
  const bool tries_again = call.attempt == 1 && !is_open(end) && end != End::kNotTried;
  if (tries_again) return again_.push_back(call.order);
  Outcome outcome{.id = call.order.id,
                  .end = end,
                  .error = error,
                  .attempts = static_cast<std::uint8_t>(call.attempt),
                  .connect_ns = call.connect_ns};
  call.caller.tell(outcome);
  outcomes_.push_back(outcome);
}

milliseconds Calls::patience_for(const Live& call) const {
  if (call.is_connected && call.order.stream_bytes > 0) return kStreamTimeout;
  if (call.attempt == 1) return timeout_;
  // Who accepted the connection may be busy, which is no fault of the network.
  return call.is_connected ? kMorePatience * retry_timeout_ : retry_timeout_;
}

std::optional<milliseconds> Calls::wait_at_most(Clock::time_point now) const {
  if (live_.empty()) return is_idle() ? std::nullopt : std::optional(milliseconds(0));
  Clock::time_point due = Clock::time_point::max();
  for (const Live& call : live_) {
    due = std::min(due, call.moved + patience_for(call));
    const bool others_wait = !first_.empty() || !again_.empty();
    if (others_wait && !call.is_connected && now - call.began < kKeepsItsPlace)
      due = std::min(due, call.began + kKeepsItsPlace);
  }
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(due - now));
}

}  // namespace lockstep::probe
