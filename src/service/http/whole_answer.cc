#include "service/http/whole_answer.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace lockstep::service {
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
