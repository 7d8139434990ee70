#include "check/repair/usable_interfaces.h"

#include <algorithm>
#include <functional>

#include "network/shared_addresses.h"

namespace lockstep::repair {
namespace {

using hostinfo::HostFacts;

constexpr std::string_view kOfContainers[] = {"docker", "br-",     "virbr", "veth",   "cni",
                                              "cali",   "flannel", "lxcbr", "podman", "tunl"};

bool is_of_containers(const std::string& name) {
  return std::ranges::any_of(kOfContainers, [&](std::string_view start) { return name.starts_with(start); });
}

bool has_default_route(const HostFacts& host, const std::string& name) {
  return std::ranges::any_of(host.routes, [&](const hostinfo::Route& route) {
    return route.interface == name && route.destination.is_default() && route.kind == "unicast";
  });
}

std::vector<UsableInterface> usable_on(const HostFacts& host, const std::set<base::Address>& shared) {
  std::vector<UsableInterface> usable;
  for (const hostinfo::LocalAddress& local : hostinfo::addresses_in_kernel_order(host)) {
    const hostinfo::Interface& interface = *local.interface;
    const base::Address& address = local.address->prefix.address;
    const bool is_usable = interface.is_up && interface.is_running && !interface.is_loopback &&
                           !address.is_link_local() && !address.is_loopback() && !shared.contains(address);
    const bool is_there =
        std::ranges::any_of(usable, [&](const UsableInterface& one) { return one.name == interface.name; });
    if (is_usable && !is_there) usable.push_back({interface.name, address});
  }
  const auto is_plain = [](const UsableInterface& one) { return !is_of_containers(one.name); };
  if (std::ranges::any_of(usable, is_plain)) std::erase_if(usable, std::not_fn(is_plain));
  std::stable_partition(usable.begin(), usable.end(),
                        [&](const UsableInterface& one) { return has_default_route(host, one.name); });
  return usable;
}

}  // namespace

std::vector<std::vector<UsableInterface>> usable_interfaces(std::span<const HostFacts> hosts) {
  const std::set<base::Address> shared = network::shared_addresses(hosts);
  std::vector<std::vector<UsableInterface>> usable;
  for (const HostFacts& host : hosts) usable.push_back(usable_on(host, shared));
  return usable;
}

}  // namespace lockstep::repair
