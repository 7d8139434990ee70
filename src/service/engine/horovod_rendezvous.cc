#include "service/engine/horovod_rendezvous.h"

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kLargestRequest = 1 << 20;
constexpr std::size_t kMaxConnections = 8192;

struct KeyRequest {
  std::string_view method;
  std::string_view path;
  std::string_view body;
  std::size_t size = 0;  // of all of it
};

std::size_t content_length(std::string_view head) {
  std::string lower(head);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string_view value = base::word_after(lower, "content-length:", '\r');
  return base::number_in<std::size_t>(base::trimmed(value)).value_or(0);
}

std::optional<KeyRequest> whole_request(std::string_view received) {
  const std::size_t head_end = received.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return std::nullopt;
  const std::string_view head = received.substr(0, head_end);
  const std::size_t length = content_length(head);
  if (length > kLargestRequest || received.size() < head_end + 4 + length) return std::nullopt;
  KeyRequest request;
  request.method = base::word_of(head);
  request.path = base::word_of(head.substr(std::min(request.method.size() + 1, head.size())));
  request.body = received.substr(head_end + 4, length);
  request.size = head_end + 4 + length;
  return request;
}

std::string response(int status, std::string_view word, std::string_view body) {
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\n\r\n{}", status, word, body.size(), body);
}

}  // namespace

struct HorovodRendezvous::Server {
  struct Connection {
    process::Descriptor socket;
    std::string received;
  };

  process::Descriptor listener;
  std::atomic<bool> is_over = false;
  std::thread thread;
  std::map<std::string, std::string, std::less<>> values;
  std::vector<Connection> connections;

  std::string answer(const KeyRequest& request) {
    if (request.method == "PUT") {
      values.insert_or_assign(std::string(request.path), std::string(request.body));
      return response(200, "OK", "");
    }
    if (request.method == "DELETE") {
      values.erase(std::string(request.path));
      return response(200, "OK", "");
    }
    const auto value = values.find(request.path);
    return value == values.end() ? response(404, "Not Found", "") : response(200, "OK", value->second);
  }

  // False: the connection is done.
  bool take_from(Connection& connection) {
    char chunk[16384];
    const ssize_t count = ::recv(connection.socket.get(), chunk, sizeof chunk, 0);
    if (count <= 0) return count < 0 && (errno == EINTR || errno == EAGAIN);
    connection.received.append(chunk, static_cast<std::size_t>(count));
    while (const auto request = whole_request(connection.received)) {
      if (!base::write_all(connection.socket.get(), answer(*request))) return false;
      connection.received.erase(0, request->size);
    }
    return connection.received.size() <= kLargestRequest;
  }

  void run() {
    while (!is_over) {
      std::vector<pollfd> watched = {{.fd = listener.get(), .events = POLLIN, .revents = 0}};
      for (const Connection& one : connections) watched.push_back({one.socket.get(), POLLIN, 0});
      ::poll(watched.data(), watched.size(), 100);
      for (std::size_t i = connections.size(); i-- > 0;) {
        if (watched[i + 1].revents != 0 && !take_from(connections[i])) {
          connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      if (watched[0].revents == 0) continue;
      process::Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (socket.is_open() && connections.size() < kMaxConnections)
        connections.push_back({std::move(socket), ""});
    }
  }
};

HorovodRendezvous::HorovodRendezvous(std::unique_ptr<Server> server) : server_(std::move(server)) {}
HorovodRendezvous::HorovodRendezvous(HorovodRendezvous&&) noexcept = default;

HorovodRendezvous::~HorovodRendezvous() {
  if (server_ == nullptr || !server_->thread.joinable()) return;
  server_->is_over = true;
  server_->thread.join();
}

Result<HorovodRendezvous> HorovodRendezvous::listen_on(int port, const std::string& where) {
  auto server = std::make_unique<Server>();
  server->listener = process::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(server->listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool listens =
      ::inet_pton(AF_INET, where.c_str(), &address.sin_addr) == 1 &&
      ::bind(server->listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(server->listener.get(), 1024) == 0;
  if (!listens) {
    return Error{"cannot serve the rendezvous of Horovod", fmt::format("{}:{}", where, port),
                 std::strerror(errno), ""};
  }
  return HorovodRendezvous(std::move(server));
}

void HorovodRendezvous::serve() {
  Server* server = server_.get();
  server_->thread = std::thread([server] { server->run(); });
}

}  // namespace lockstep::service
