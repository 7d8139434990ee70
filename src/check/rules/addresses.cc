#include "check/rules/addresses.h"

#include <arpa/inet.h>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "config/derive.h"

namespace lockstep::rules {
namespace {

std::optional<std::uint32_t> ipv4_in(std::string_view text) {
  in_addr address{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

struct Prefix {
  std::uint32_t bits = 0;
  int length = 32;
  std::uint32_t mask() const { return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length); }
};

std::optional<Prefix> prefix_in(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto bits = ipv4_in(text.substr(0, slash));
  const auto length =
      slash == std::string_view::npos ? std::optional<int>(32) : base::number_in<int>(text.substr(slash + 1));
  if (!bits || !length || *length < 0 || *length > 32) return std::nullopt;
  return Prefix{*bits, *length};
}

bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(text.substr(0, text.find('%'))).c_str(), &address) == 1;
}

}  // namespace

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "localhost.localdomain" || host == "ip6-localhost" || host == "::1")
    return true;
  const auto address = ipv4_in(host);
  return address && (*address >> 24) == 127;
}

bool is_address(std::string_view text) {
  return ipv4_in(text).has_value() || is_ipv6(text);
}

bool is_private(std::string_view address) {
  const auto bits = ipv4_in(address.substr(0, address.find('/')));
  if (!bits) return address.starts_with("fd") || address.starts_with("fc");
  return (*bits >> 24) == 10 || (*bits >> 20) == 0xAC1 || (*bits >> 16) == 0xC0A8;
}

std::string family_of(std::string_view text) {
  const std::string_view address = text.substr(0, text.find('/'));
  if (ipv4_in(address)) return "ipv4";
  return is_ipv6(address) ? "ipv6" : "name";
}

std::optional<std::string> network_of(std::string_view text) {
  const auto prefix = prefix_in(text);
  if (!prefix) return std::nullopt;
  const std::uint32_t network = prefix->bits & prefix->mask();
  return fmt::format("{}.{}.{}.{}/{}", network >> 24, (network >> 16) & 255, (network >> 8) & 255,
                     network & 255, prefix->length);
}

std::optional<bool> is_in_network(std::string_view address, std::string_view network) {
  const auto prefix = prefix_in(network);
  const auto bits = ipv4_in(address.substr(0, address.find('/')));
  if (!prefix || !bits) return std::nullopt;
  return (*bits & prefix->mask()) == (prefix->bits & prefix->mask());
}

std::string host_part(std::string_view endpoint) {
  return config::endpoint_of(endpoint).host;
}

std::string port_part(std::string_view endpoint) {
  return config::endpoint_of(endpoint).port;
}

bool nccl_selects(std::string_view value, std::string_view name) {
  const bool excludes = value.starts_with('^');
  if (excludes) value.remove_prefix(1);
  const bool is_exact = value.starts_with('=');
  if (is_exact) value.remove_prefix(1);
  bool is_listed = false;
  while (!value.empty()) {
    const std::string_view item = base::word_of(value, ',');
    value.remove_prefix(std::min(item.size() + 1, value.size()));
    const std::string_view entry = item.substr(0, item.find(':'));
    is_listed |= !entry.empty() && (is_exact ? name == entry : name.starts_with(entry));
  }
  return is_listed != excludes;
}

}  // namespace lockstep::rules
