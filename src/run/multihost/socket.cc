#include "run/multihost/socket.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <fmt/format.h>

namespace lockstep::multihost {
namespace {

constexpr int kWaiting = 512;                                  // connections that were not accepted yet
constexpr std::size_t kMaxReadBytes = std::size_t{256} << 10;  // at a time, so that others get their turn

void set_flag(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

Error cannot_listen(std::uint16_t port) {
  return {"cannot be the head of the job's watchers", fmt::format("port {}", port), std::strerror(errno),
          "give all hosts another place with --head HOST:PORT"};
}

}  // namespace

Result<process::Descriptor> listen_on(std::uint16_t port) {
  const int kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  process::Descriptor listener(::socket(AF_INET6, kind, 0));
  if (listener.is_open()) {
    set_flag(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    set_flag(listener.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_addr = in6addr_any;
    any.sin6_port = htons(port);
    const bool is_bound = ::bind(listener.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0;
    if (is_bound && ::listen(listener.get(), kWaiting) == 0) return listener;
    if (errno == EADDRINUSE) return cannot_listen(port);
  }
  process::Descriptor old(::socket(AF_INET, kind, 0));
  if (!old.is_open()) return cannot_listen(port);
  set_flag(old.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(port);
  const bool is_bound = ::bind(old.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0;
  if (is_bound && ::listen(old.get(), kWaiting) == 0) return old;
  return cannot_listen(port);
}

Accepted accept_from(int listener) {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  Accepted accepted;
  accepted.connection = process::Descriptor(
      ::accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted.connection.is_open()) return accepted;
  set_flag(accepted.connection.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  char name[NI_MAXHOST] = "";
  ::getnameinfo(reinterpret_cast<sockaddr*>(&from), size, name, sizeof name, nullptr, 0, NI_NUMERICHOST);
  accepted.address = name;
  if (accepted.address.starts_with("::ffff:")) accepted.address.erase(0, 7);
  return accepted;
}

Result<process::Descriptor> begin_connecting(const HostPort& to) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault = ::getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found);
  if (fault != 0) return Error{"cannot find the head", to.host, ::gai_strerror(fault), ""};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
  int reason = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    process::Descriptor connection(
        ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address->ai_protocol));
    if (!connection.is_open()) continue;
    set_flag(connection.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    if (::connect(connection.get(), address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS) {
      return connection;
    }
    reason = errno;
  }
  return Error{"cannot reach the head", to.host, std::strerror(reason), ""};
}

std::string exchange(int fd, Conversation& conversation) {
  while (!conversation.unsent().empty()) {
    const std::string_view bytes = conversation.unsent();
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0) return std::strerror(errno);
    conversation.wrote(static_cast<std::size_t>(count));
  }
  char buffer[std::size_t{64} << 10];
  for (std::size_t read = 0; read < kMaxReadBytes;) {
    const ssize_t count = ::recv(fd, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0) return std::strerror(errno);
    if (count == 0) return "it closed the connection";
    conversation.take({buffer, static_cast<std::size_t>(count)});
    read += static_cast<std::size_t>(count);
  }
  return "";
}

}  // namespace lockstep::multihost
