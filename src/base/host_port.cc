#include "base/host_port.h"

#include "base/text_fields.h"

namespace lockstep::base {

std::optional<HostPort> host_port_in(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = number_in<std::uint16_t>(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!port || host.empty()) return std::nullopt;
  return HostPort{.host = std::string(host), .port = *port};
}

}  // namespace lockstep::base
