#include "network/choices/choice.h"

#include <charconv>

namespace lockstep::network {

LibraryVersion parse_version(std::string_view text) {
  LibraryVersion version;
  const std::size_t begin = text.find_first_of("0123456789");
  const char* at = text.data() + (begin == std::string_view::npos ? text.size() : begin);
  const char* const end = text.data() + text.size();
  for (int* const part : {&version.major, &version.minor, &version.patch}) {
    const auto [behind, fault] = std::from_chars(at, end, *part);
    if (fault != std::errc{}) return version;
    at = behind;
    if (at == end || *at != '.') return version;
    ++at;
  }
  return version;
}

std::string_view variable_in(const Environment& environment, const std::string& name) {
  const auto at = environment.find(name);
  return at == environment.end() ? std::string_view{} : std::string_view(at->second);
}

bool is_bindable(const hostinfo::HostFacts& facts, const base::Address& address) {
  if (address.is_wildcard()) return true;
  if (address.family == base::Family::kIpv4 && address.is_loopback()) return true;  // all of 127/8 is local
  // A link-local address needs its interface beside it, which a name's answer does not carry.
  if (address.family == base::Family::kIpv6 && address.is_link_local()) return false;
  return facts.interface_with(address) != nullptr;
}

std::vector<std::string_view> split_list(std::string_view text, char between) {
  std::vector<std::string_view> items;
  for (;;) {
    const std::size_t end = text.find(between);
    items.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return items;
    text.remove_prefix(end + 1);
  }
}

}  // namespace lockstep::network
