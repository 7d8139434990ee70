// "host:port" or "[::1]:port", as people and launchers write it: the one reader of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::base {

struct HostPort {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// Both must be there, and the port a number. The last colon parts them.
std::optional<HostPort> host_port_in(std::string_view text);

// host:port, [::1]:port, host. Neither part need be there; an address with colons and no brackets is a host.
struct Endpoint {
  std::string host;
  std::string port;
};
Endpoint endpoint_of(std::string_view text);

}  // namespace lockstep::base
