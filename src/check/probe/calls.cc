#include "check/probe/calls.h"

#include <algorithm>
#include <cerrno>
#include <netinet/tcp.h>

#include "check/probe/socket_address.h"

namespace lockstep::probe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kKeepsItsPlace{150};
constexpr milliseconds kToStream{10'000};
constexpr int kMorePatience = 4;
constexpr std::size_t kMostAtOnce = 256;

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
  at_once_ = std::min<std::size_t>(call.at_once, kMostAtOnce);
  first_.insert(first_.end(), call.orders.begin(), call.orders.end());
}

std::size_t Calls::busy(Clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      live_, [&](const Live& call) { return call.is_connected || now - call.began < kKeepsItsPlace; }));
}

void Calls::begin_due(Clock::time_point now) {
  std::size_t places = at_once_ - std::min(at_once_, busy(now));
  const auto begin_from = [&](std::deque<CallOrder>& queue, int attempt) {
    for (; places > 0 && !queue.empty() && live_.size() < kMostAtOnce; --places) {
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
  if (call.is_connected && call.order.stream_bytes > 0) return kToStream;
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
