// "host:port" or "[::1]:port", as people and launchers write it.
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

std::optional<HostPort> host_port_in(std::string_view text);

}  // namespace lockstep::base
