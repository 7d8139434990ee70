#include "base/host_port.h"

#include <algorithm>

#include "base/text_fields.h"

namespace lockstep::base {
namespace {

struct Parts {
  std::string_view host;
  std::string_view port;
};

// Without a colon all of it is the host.
Parts split_at_last_colon(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1)};
}

}  // namespace

std::optional<HostPort> host_port_in(std::string_view text) {
  const Parts parts = split_at_last_colon(text);
  const auto port = number_in<std::uint16_t>(parts.port);
  if (!port || parts.host.empty()) return std::nullopt;
  return HostPort{.host = std::string(parts.host), .port = *port};
}

Endpoint endpoint_of(std::string_view text) {
  const bool is_bracketed = text.starts_with('[');
  const std::size_t close = std::min(text.find(']'), text.size());
  if (is_bracketed && !text.substr(close).starts_with("]:"))
    return {std::string(text.substr(1, close - 1)), ""};
  const bool is_bare_ipv6 = !is_bracketed && text.find(':') != text.rfind(':');
  if (is_bare_ipv6) return {std::string(text), ""};
  const Parts parts = split_at_last_colon(text);
  return {std::string(parts.host), std::string(parts.port)};
}

}  // namespace lockstep::base
