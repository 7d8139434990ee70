#include "service/http/message_from.h"

#include <algorithm>
#include <cctype>
#include <sys/socket.h>

namespace lockstep::service {

std::optional<Request> request_from(
    const boost::beast::http::request<boost::beast::http::string_body>& message, std::optional<uid_t> peer) {
  const std::string_view target(message.target().data(), message.target().size());
  const std::size_t mark = target.find('?');
  Request request;
  auto path = percent_decoded(target.substr(0, mark));
  auto query = parse_query(mark == std::string_view::npos ? "" : target.substr(mark + 1));
  if (!path || !query) return std::nullopt;
  request.method = std::string(message.method_string());
  request.path = std::move(*path);
  request.query = std::move(*query);
  for (const auto& field : message) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    request.headers[name] = std::string(field.value());
  }
  request.peer = peer;
  return request;
}

std::optional<uid_t> peer_of(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
  return who.uid;
}

}  // namespace lockstep::service
