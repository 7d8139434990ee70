#include "network/choices/open_mpi.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::network {
namespace {

constexpr const char* kInclude = "OMPI_MCA_btl_tcp_if_include";
constexpr const char* kExclude = "OMPI_MCA_btl_tcp_if_exclude";
constexpr std::string_view kExcludedByDefault = "127.0.0.1/8,sppp";

// An entry is a name, or a network that must be the interface's own.
bool names_it(std::string_view entry, const LocalAddress& local) {
  if (entry.find('/') == std::string_view::npos) return entry == local.interface->name;
  const auto prefix = parse_prefix(entry);
  return prefix && prefix->contains(local.address->prefix.address) &&
         prefix->first() == Prefix{local.address->prefix.address, prefix->length}.first();
}

bool is_named(std::string_view list, const LocalAddress& local) {
  return std::ranges::any_of(split_list(list),
                             [&](std::string_view entry) { return names_it(entry, local); });
}

}  // namespace

Choice choose_open_mpi(const HostFacts& facts, const Environment& environment) {
  Choice choice;
  const std::string_view included = variable_in(environment, kInclude);
  const std::string_view given = variable_in(environment, kExclude);
  if (!included.empty() && !given.empty()) {
    choice.fail("btl_tcp_if_include and btl_tcp_if_exclude exclude each other", kExclude);
    return choice;
  }
  const std::string_view excluded = given.empty() ? kExcludedByDefault : given;
  for (const LocalAddress& local : addresses_in_kernel_order(facts)) {
    const Address& address = local.address->prefix.address;
    if (!local.interface->is_up || address.family != Family::kIpv4) continue;
    if (!included.empty() ? !is_named(included, local) : is_named(excluded, local)) continue;
    choice.addresses.push_back({local.interface->name, address});
  }
  if (!included.empty()) {
    choice.because(fmt::format("only \"{}\"", included), kInclude);
  } else if (!given.empty()) {
    choice.because(fmt::format("all but \"{}\", which replaces the default and may let loopback in", given),
                   kExclude);
  } else {
    choice.because(fmt::format("all but {}", kExcludedByDefault), "default of btl_tcp_if_exclude");
  }
  if (choice.failed())
    choice.fail("no interface is left for the TCP transport", included.empty() ? kExclude : kInclude);
  return choice;
}

int open_mpi_weight(const Prefix& own, const Prefix& other) {
  if (own.address.family != other.address.family) return 0;
  const bool is_one_network = own.length == other.length && own.contains(other.address);
  const bool is_private = own.address.is_private();
  if (is_private != other.address.is_private()) return 0;
  if (is_private) return is_one_network ? 2 : 1;
  return is_one_network ? 4 : 3;
}

}  // namespace lockstep::network
