// IP addresses and prefixes as values: compared, contained, written; and host:port as people write it. No
// names are resolved here.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::base {

enum class Family : std::uint8_t { kIpv4, kIpv6 };

// Ordered by family, then as numbers.
struct Address {
  Family family = Family::kIpv4;
  std::array<std::uint8_t, 16> bytes{};  // big-endian; IPv4 in the first four

  auto operator<=>(const Address&) const = default;

  bool is_loopback() const;    // 127/8, ::1
  bool is_link_local() const;  // 169.254/16, fe80::/10
  bool is_wildcard() const;    // 0.0.0.0, ::
  bool is_private() const;     // RFC 1918 and fc00::/7
  int bits() const { return family == Family::kIpv4 ? 32 : 128; }
};

// "10.0.0.1", "fe80::1", "fe80::1%eth0" (the zone is dropped). Nothing else: no names, no ports.
std::optional<Address> parse_address(std::string_view text);
std::string to_text(const Address& address);
Address ipv4(std::uint32_t host_order);

// An IPv4 address written as IPv6 (::ffff:10.0.0.1) as the IPv4 address it is.
Address unmapped(const Address& address);

struct Prefix {
  Address address = {};  // bits behind the length may be set: 10.0.0.7/24 is one address and its network
  int length = 0;

  auto operator<=>(const Prefix&) const = default;

  bool contains(const Address& other) const;
  Address first() const;
  Address last() const;
  bool is_default() const { return length == 0; }
};

// "10.0.0.0/24"; an address alone is a prefix of all its bits.
std::optional<Prefix> parse_prefix(std::string_view text);
std::string to_text(const Prefix& prefix);
Prefix whole_family(Family family);

// The next address up; none behind the last.
std::optional<Address> next(const Address& address);

// "host:port" or "[::1]:port", as people and launchers write it: the one reader of it.

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
