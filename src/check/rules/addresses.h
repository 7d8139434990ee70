// Addresses and interface names in the text of a configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::rules {

bool is_loopback(std::string_view host);       // localhost, 127.x, ::1
bool is_address(std::string_view text);        // IPv4 or IPv6, not a name
bool is_private(std::string_view address);     // RFC 1918 and IPv6 unique local
std::string family_of(std::string_view text);  // "ipv4", "ipv6", "name"
// "10.0.0.5/24" is in "10.0.0.0/24". Nullopt: no IPv4 prefix.
std::optional<std::string> network_of(std::string_view prefix);
std::optional<bool> is_in_network(std::string_view address, std::string_view network);

std::string host_part(std::string_view endpoint);
std::string port_part(std::string_view endpoint);

// Whether a value of NCCL_SOCKET_IFNAME or NCCL_IB_HCA takes an interface of that name.
bool nccl_selects(std::string_view value, std::string_view name);

}  // namespace lockstep::rules
