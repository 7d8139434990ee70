#include "service/http/message_from.h"

#include <algorithm>
#include <cctype>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>

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

namespace {

namespace http = boost::beast::http;

constexpr std::size_t kLongestBody = std::size_t{64} << 20;

}  // namespace

std::optional<WholeAnswer> whole_answer_in(std::string_view bytes) {
  http::response_parser<http::string_body> parser;
  parser.eager(true);
  parser.body_limit(kLongestBody);
  boost::beast::error_code fault;
  while (!bytes.empty() && !parser.is_done() && !fault) {
    const std::size_t used = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), fault);
    bytes.remove_prefix(used);
    if (used == 0) break;
  }
  if (!parser.is_header_done()) return std::nullopt;
  if (!parser.is_done()) {
    if (fault && fault != http::error::need_more) return std::nullopt;
    fault = {};
    parser.put_eof(fault);
    if (fault) return std::nullopt;
  }
  return WholeAnswer{static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
}

}  // namespace lockstep::service
