#include "hostinfo/host_facts.h"

#include <algorithm>

#include "base/text_fields.h"

namespace lockstep::hostinfo {
const Interface* HostFacts::interface_named(std::string_view wanted) const {
  const auto at = std::ranges::find(interfaces, wanted, &Interface::name);
  return at == interfaces.end() ? nullptr : &*at;
}

const Interface* HostFacts::interface_with(const base::Address& address) const {
  for (const Interface& interface : interfaces) {
    const auto has = [&](const InterfaceAddress& own) { return own.prefix.address == address; };
    if (std::ranges::any_of(interface.addresses, has)) return &interface;
  }
  return nullptr;
}

const ResolvedName* HostFacts::resolved(std::string_view wanted) const {
  const auto at = std::ranges::find(names, wanted, &ResolvedName::name);
  return at == names.end() ? nullptr : &*at;
}

std::optional<std::int64_t> HostFacts::sysctl_number(const std::string& wanted) const {
  const auto at = sysctls.find(wanted);
  if (at == sysctls.end()) return std::nullopt;
  return base::number_in<std::int64_t>(base::trimmed(at->second));
}

std::string_view HostFacts::variable(const std::string& wanted) const {
  const auto at = environment.find(wanted);
  return at == environment.end() ? std::string_view{} : std::string_view(at->second);
}

std::vector<LocalAddress> addresses_in_kernel_order(const HostFacts& facts) {
  std::vector<LocalAddress> ordered;
  for (const base::Family family : {base::Family::kIpv4, base::Family::kIpv6})
    for (const Interface& interface : facts.interfaces)
      for (const InterfaceAddress& address : interface.addresses)
        if (address.prefix.address.family == family) ordered.push_back({&interface, &address});
  return ordered;
}

}  // namespace lockstep::hostinfo
