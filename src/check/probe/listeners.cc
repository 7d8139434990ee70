#include "check/probe/listeners.h"

#include <algorithm>
#include <cerrno>
#include <netinet/tcp.h>
#include <random>

#include "check/probe/socket_address.h"

namespace lockstep::probe {
namespace {

constexpr int kWaiting = 1024;                                // connections that were not accepted yet
constexpr std::size_t kMostGuests = 512;                      // at once
constexpr int kPortsToTry = 24;                               // of a range
constexpr std::size_t kMostReadBytes = std::size_t{1} << 20;  // at a time
constexpr std::chrono::seconds kToProveItself{5};
constexpr std::chrono::seconds kToGoOn{20};

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
  for (const process::Descriptor& listener : listeners_)
    polled.push_back({.fd = listener.get(), .events = POLLIN, .revents = 0});
  for (const Guest& guest : guests_) {
    const short events = guest.answerer.unsent().empty() ? POLLIN : POLLIN | POLLOUT;
    polled.push_back({.fd = guest.connection.get(), .events = events, .revents = 0});
  }
}

void Listeners::serve(const std::vector<pollfd>& polled, Clock::time_point now) {
  std::size_t at = polled_from_ + listeners_.size();
  for (auto guest = guests_.begin(); guest != guests_.end(); ++at) {
    const auto patience = guest->answerer.is_trusted() ? kToGoOn : kToProveItself;
    const bool is_over = polled[at].revents != 0 ? !serve(*guest, now) : now - guest->heard > patience;
    guest = is_over ? guests_.erase(guest) : std::next(guest);
  }
  for (std::size_t number = 0; number < listeners_.size(); ++number)
    if (polled[polled_from_ + number].revents != 0) accept_from(listeners_[number].get(), now);
}

void Listeners::accept_from(int listener, Clock::time_point now) {
  for (;;) {
    process::Descriptor connection(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!connection.is_open()) return;
    leave_nothing_behind(connection.get());
    if (guests_.size() >= kMostGuests) continue;
    set_option(connection.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    guests_.push_back({std::move(connection), Answerer(token_, own_number_, fresh_nonce()), now});
  }
}

bool Listeners::serve(Guest& guest, Clock::time_point now) {
  char buffer[std::size_t{64} << 10];
  bool is_open = true;
  for (std::size_t read = 0; is_open && read < kMostReadBytes;) {
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

}  // namespace lockstep::probe
