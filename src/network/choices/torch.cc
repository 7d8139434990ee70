#include <algorithm>

#include <fmt/format.h>

#include "network/choices/choice.h"

namespace lockstep::network {
namespace {

void choose_named(const hostinfo::HostFacts& facts, std::string_view names, Choice& choice) {
  constexpr const char* kVariable = "GLOO_SOCKET_IFNAME";
  for (const std::string_view name : split_list(names)) {
    const auto all = hostinfo::addresses_in_kernel_order(facts);
    const auto first = std::ranges::find_if(
        all, [&](const hostinfo::LocalAddress& local) { return local.interface->name == name; });
    if (first == all.end()) {
      choice.addresses.clear();
      return choice.fail(fmt::format("Unable to find address for: {}", name), kVariable);
    }
    choice.addresses.push_back({std::string(name), first->address->prefix.address});
    choice.because(
        fmt::format("{} is the first address of {}", to_text(first->address->prefix.address), name),
        kVariable);
  }
}

ChosenAddress with_interface(const hostinfo::HostFacts& facts, const base::Address& address) {
  const hostinfo::Interface* const interface = facts.interface_with(address);
  if (interface != nullptr) return {interface->name, address};
  return {address.is_loopback() ? "lo" : "", address};
}

}  // namespace

Choice choose_gloo(const hostinfo::HostFacts& facts, const Environment& environment) {
  Choice choice;
  if (const auto names = variable_in(environment, "GLOO_SOCKET_IFNAME"); names.size() > 1) {
    choose_named(facts, names, choice);
    return choice;
  }
  const hostinfo::ResolvedName* const own = facts.resolved(facts.name);
  if (own != nullptr) {
    for (const base::Address& address : own->any) {
      if (!is_bindable(facts, address)) {
        choice.because(
            fmt::format("{} resolves to {}, which is no address of this host", facts.name, to_text(address)),
            "resolver");
        continue;
      }
      choice.addresses.push_back(with_interface(facts, address));
      choice.because(
          fmt::format("{} resolves to {}, the first that can be bound", facts.name, to_text(address)),
          "resolver");
      return choice;
    }
    if (own->any.empty())
      choice.because(fmt::format("{} does not resolve: {}", facts.name, own->any_error), "resolver");
  }
  choice.addresses.push_back({"lo", *base::parse_address("127.0.0.1")});
  choice.because("no address of the host's name can be bound: the loopback address as fallback", "PyTorch");
  return choice;
}

std::optional<bool> gloo_connects(const base::Address& own, const base::Address& other) {
  if (own == other || own.family != other.family) return std::nullopt;
  return own > other;
}

Choice choose_store(const hostinfo::HostFacts& facts, const std::string& master) {
  Choice choice;
  hostinfo::ResolvedName literal;
  const hostinfo::ResolvedName* answer = facts.resolved(master);
  if (const auto address = base::parse_address(master)) {
    literal.any = literal.ipv6 = {*address};
    answer = &literal;
  }
  if (answer == nullptr) {
    choice.fail(fmt::format("how {} resolves on {} is not among its facts", master, facts.name), "facts");
    return choice;
  }
  if (answer->ipv6.empty() && !answer->ipv6_error.empty()) {
    choice.fail(
        fmt::format(
            "the IPv6 network addresses of {} cannot be retrieved ({}); retried until the deadline, IPv4 "
            "is never tried",
            master, answer->ipv6_error),
        "resolver");
    return choice;
  }
  for (const auto* round : {&answer->ipv6, &answer->ipv4}) {
    for (const base::Address& address : *round) {
      const base::Address plain = base::unmapped(address);
      const auto is_same = [&](const ChosenAddress& chosen) { return chosen.address == plain; };
      if (std::ranges::none_of(choice.addresses, is_same)) choice.addresses.push_back({"", plain});
    }
  }
  if (choice.failed()) {
    choice.fail(fmt::format("{} has no address", master), "resolver");
  } else {
    choice.because(fmt::format("{} is {} here", master, to_text(choice.addresses.front().address)),
                   "resolver");
  }
  return choice;
}

}  // namespace lockstep::network
