#include "base/net/address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>

#include <fmt/format.h>

#include "base/text_fields.h"

namespace lockstep::base {
namespace {

constexpr std::size_t kMaxTextBytes = 64;

std::size_t size_of(Family family) {
  return family == Family::kIpv4 ? 4 : 16;
}

bool begins_with(const Address& address, std::initializer_list<std::uint8_t> bytes) {
  return std::equal(bytes.begin(), bytes.end(), address.bytes.begin());
}

Address filled(const Prefix& prefix, bool with_ones) {
  Address result = prefix.address;
  for (int bit = prefix.length; bit < result.bits(); ++bit) {
    std::uint8_t& byte = result.bytes[static_cast<std::size_t>(bit / 8)];
    const auto mask = static_cast<std::uint8_t>(0x80U >> (bit % 8));
    byte = with_ones ? static_cast<std::uint8_t>(byte | mask) : static_cast<std::uint8_t>(byte & ~mask);
  }
  return result;
}

}  // namespace

bool Address::is_loopback() const {
  if (family == Family::kIpv4) return bytes[0] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.end() - 1, [](auto byte) { return byte == 0; });
}

bool Address::is_link_local() const {
  if (family == Family::kIpv4) return begins_with(*this, {169, 254});
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool Address::is_wildcard() const {
  return std::all_of(bytes.begin(), bytes.end(), [](auto byte) { return byte == 0; });
}

bool Address::is_private() const {
  if (family == Family::kIpv6) return (bytes[0] & 0xfe) == 0xfc;
  return bytes[0] == 10 || begins_with(*this, {192, 168}) || (bytes[0] == 172 && (bytes[1] & 0xf0) == 16);
}

std::optional<Address> parse_address(std::string_view text) {
  text = base::word_of(text, '%');
  if (text.empty() || text.size() >= kMaxTextBytes) return std::nullopt;
  const std::string zero_ended(text);
  Address address;
  if (::inet_pton(AF_INET, zero_ended.c_str(), address.bytes.data()) == 1) return address;
  address.family = Family::kIpv6;
  if (::inet_pton(AF_INET6, zero_ended.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::string to_text(const Address& address) {
  char text[kMaxTextBytes] = {};
  ::inet_ntop(address.family == Family::kIpv4 ? AF_INET : AF_INET6, address.bytes.data(), text, sizeof text);
  return text;
}

Address ipv4(std::uint32_t host_order) {
  Address address;
  for (int at = 0; at < 4; ++at)
    address.bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(host_order >> (24 - 8 * at));
  return address;
}

Address unmapped(const Address& address) {
  if (address.family == Family::kIpv4) return address;
  if (!begins_with(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) return address;
  Address plain;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), plain.bytes.begin());
  return plain;
}

bool Prefix::contains(const Address& other) const {
  if (other.family != address.family) return false;
  const auto whole = static_cast<std::size_t>(length / 8);
  if (std::memcmp(address.bytes.data(), other.bytes.data(), whole) != 0) return false;
  if (length % 8 == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xffU << (8 - length % 8));
  return ((address.bytes[whole] ^ other.bytes[whole]) & mask) == 0;
}

Address Prefix::first() const {
  return filled(*this, false);
}

Address Prefix::last() const {
  return filled(*this, true);
}

std::optional<Prefix> parse_prefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Prefix{*address, address->bits()};
  const auto length = base::number_in<int>(text.substr(slash + 1));
  if (!length || *length < 0 || *length > address->bits()) return std::nullopt;
  return Prefix{*address, *length};
}

std::string to_text(const Prefix& prefix) {
  return fmt::format("{}/{}", to_text(prefix.address), prefix.length);
}

Prefix whole_family(Family family) {
  return {.address = {.family = family}, .length = 0};
}

std::optional<Address> next(const Address& address) {
  Address up = address;
  for (std::size_t at = size_of(address.family); at-- > 0;)
    if (++up.bytes[at] != 0) return up;
  return std::nullopt;
}

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
