#include <algorithm>

#include <fmt/format.h>

#include "network/choices/choice.h"

namespace lockstep::network {
namespace {

constexpr const char* kInclude = "OMPI_MCA_btl_tcp_if_include";
constexpr const char* kExclude = "OMPI_MCA_btl_tcp_if_exclude";
constexpr std::string_view kExcludedByDefault = "127.0.0.1/8,sppp";

bool is_network(std::string_view entry) {
  return entry.find('/') != std::string_view::npos;
}

// It knows one IPv4 address of an interface, the first.
std::vector<hostinfo::LocalAddress> known_addresses(const hostinfo::HostFacts& facts) {
  std::vector<hostinfo::LocalAddress> known;
  for (const hostinfo::LocalAddress& local : hostinfo::addresses_in_kernel_order(facts)) {
    if (!local.interface->is_up || local.address->prefix.address.family != base::Family::kIpv4) continue;
    const bool is_first = std::ranges::none_of(
        known, [&](const hostinfo::LocalAddress& other) { return other.interface == local.interface; });
    if (is_first) known.push_back(local);
  }
  return known;
}

// A network stands for the interfaces in it; one that holds none is left out with a warning.
std::vector<std::string> interfaces_in(std::string_view list, const char* variable,
                                       const std::vector<hostinfo::LocalAddress>& locals, Choice& choice) {
  std::vector<std::string> names;
  if (list.empty()) return names;
  for (const std::string_view entry : split_list(list)) {
    if (!is_network(entry)) {
      names.emplace_back(entry);
      continue;
    }
    const auto prefix = base::parse_prefix(entry);
    const std::size_t before = names.size();
    for (const hostinfo::LocalAddress& local : locals)
      if (prefix && prefix->contains(local.address->prefix.address)) names.push_back(local.interface->name);
    if (names.size() == before)
      choice.because(fmt::format("{} is the network of no interface and left out", entry), variable);
  }
  return names;
}

// Names are included whole, but excluded by their beginning: lo also leaves out lo9.
bool is_used(const std::string& name, const std::vector<std::string>& including,
             const std::vector<std::string>& excluding) {
  if (!including.empty()) return std::ranges::find(including, name) != including.end();
  return std::ranges::none_of(excluding, [&](const std::string& begin) { return name.starts_with(begin); });
}

}  // namespace

Choice choose_open_mpi(const hostinfo::HostFacts& facts, const Environment& environment) {
  Choice choice;
  const std::string_view included = variable_in(environment, kInclude);
  const std::string_view given = variable_in(environment, kExclude);
  if (!included.empty() && !given.empty()) {
    choice.fail("btl_tcp_if_include and btl_tcp_if_exclude exclude each other", kExclude);
    return choice;
  }
  const std::vector<hostinfo::LocalAddress> locals = known_addresses(facts);
  const auto including = interfaces_in(included, kInclude, locals, choice);
  auto excluding = interfaces_in(given, kExclude, locals, choice);
  const bool is_default = including.empty() && excluding.empty();
  if (is_default) excluding = interfaces_in(kExcludedByDefault, kExclude, locals, choice);
  for (const hostinfo::LocalAddress& local : locals) {
    if (is_used(local.interface->name, including, excluding))
      choice.addresses.push_back({local.interface->name, local.address->prefix.address});
  }
  if (!including.empty()) {
    choice.because(fmt::format("only \"{}\"", included), kInclude);
  } else if (!is_default) {
    choice.because(fmt::format("all but \"{}\", which replaces the default and may let loopback in", given),
                   kExclude);
  } else {
    choice.because(fmt::format("all but {}", kExcludedByDefault), "default of btl_tcp_if_exclude");
  }
  if (choice.failed())
    choice.fail("no interface is left for the TCP transport", included.empty() ? kExclude : kInclude);
  return choice;
}

}  // namespace lockstep::network
