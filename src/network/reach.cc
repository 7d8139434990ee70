#include "network/reach.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "network/firewall/rule_sets.h"
#include "network/route_lookup.h"

namespace lockstep::network {

Firewall read_firewall(const hostinfo::FirewallTexts& texts) {
  Firewall firewall;
  firewall.is_known = texts.was_seen;
  std::set<std::string> written_by_iptables;
  std::set<std::string> legacy;
  for (const hostinfo::IptablesText& text : texts.iptables) {
    auto& tables = text.kind == hostinfo::IptablesKind::kNft ? written_by_iptables : legacy;
    std::ranges::move(iptables_programs(text, tables), std::back_inserter(firewall.programs));
  }
  std::ranges::move(nft_programs(texts.nftables, written_by_iptables, firewall.limits),
                    std::back_inserter(firewall.programs));
  std::ranges::stable_sort(firewall.programs, {}, &Program::priority);
  return firewall;
}

namespace {

constexpr std::uint8_t kSyn = 0x02;
constexpr std::uint8_t kSynAck = 0x12;

bool is_leaving(Place place) {
  return place == Place::kLeavingSource || place == Place::kLeavingDestination;
}

bool is_reply(Place place) {
  return place == Place::kLeavingDestination || place == Place::kEnteringSource;
}

Decider decider_of(const hostinfo::HostFacts& host, const Decided& part) {
  Decider decider;
  decider.host = host.name;
  decider.kind = "firewall";
  decider.is_silent = part.decision == Decision::kDrop;
  if (part.origin == nullptr) return decider;
  decider.text = part.origin->text;
  decider.firewall = part.origin->firewall;
  decider.table = part.origin->table;
  decider.chain = part.origin->chain;
  decider.handle = part.origin->handle;
  return decider;
}

// Where packets from `other` to `own` come in: the interface of the network they share, else the way back.
std::string incoming_interface(const hostinfo::HostFacts& host, const base::Address& own,
                               const base::Address& other) {
  if (host.interface_with(other) != nullptr || other.is_loopback()) return "lo";
  for (const hostinfo::Interface& interface : host.interfaces) {
    for (const hostinfo::InterfaceAddress& address : interface.addresses) {
      const bool is_one_host = address.prefix.length == address.prefix.address.bits();
      if (!is_one_host && address.prefix.address == own && address.prefix.contains(other))
        return interface.name;
    }
  }
  const hostinfo::Interface* const holder = host.interface_with(own);
  if (holder != nullptr && !holder->is_loopback) return holder->name;
  return look_up_route(host, other, own).interface;
}

class PlaceJudge {
 public:
  PlaceJudge(const hostinfo::HostFacts& facts, const Firewall& firewall, const PlaceQuestion& question,
             bool explains)
      : facts_(facts),
        firewall_(firewall),
        question_(question),
        place_(question.place),
        own_(question.own),
        other_(question.other),
        explains_(explains) {}

  PlaceVerdict judge() {
    packet_.protocol = question_.protocol;
    packet_.state = is_reply(place_) ? kEstablished : kNew;
    packet_.tcp_flags = is_reply(place_) ? kSynAck : kSyn;
    const PortPairs ports = is_reply(place_) ? PortPairs(*question_.flow_ports, *question_.client_ports)
                                             : PortPairs(*question_.client_ports, *question_.flow_ports);
    if (is_leaving(place_)) {
      leave(ports);
    } else {
      enter(ports);
    }
    if (verdict_.reach == Reach::kOpen && !firewall_.is_known && question_.passes_firewall) {
      verdict_.reach = Reach::kUnknown;
      verdict_.why = fmt::format("the firewall of {} was not seen", facts_.name);
    }
    return std::move(verdict_);
  }

 private:
  void leave(const PortPairs& ports) {
    const RouteAnswer route = look_up_route(facts_, other_, own_);
    if (route.end != RouteEnd::kFound) return fail(route, ports);
    packet_.source = own_;
    packet_.destination = other_;
    packet_.outgoing = interface_ = route.interface;
    packet_.is_source_local = true;
    packet_.is_destination_local = route.is_local;
    pass(Hook::kOutput, ports);
    pass(Hook::kPostrouting, ports);
  }

  void enter(const PortPairs& ports) {
    interface_ = incoming_interface(facts_, own_, other_);
    if (is_filtered_by_way_back(ports)) return;
    packet_.source = other_;
    packet_.destination = own_;
    packet_.incoming = interface_;
    packet_.is_destination_local = true;
    packet_.is_source_local = interface_ == "lo";
    pass(Hook::kPrerouting, ports);
    pass(Hook::kInput, ports);
  }

  // Strict reverse-path filtering drops what comes in by another interface than answers leave by.
  bool is_filtered_by_way_back(const PortPairs& ports) {
    if (interface_ == "lo" || other_.family != base::Family::kIpv4) return false;
    const auto setting = [&](const std::string& name) {
      return facts_.sysctl_number(fmt::format("net.ipv4.conf.{}.rp_filter", name)).value_or(0);
    };
    if (std::max(setting("all"), setting(interface_)) != 1) return false;
    const RouteAnswer back = look_up_route(facts_, other_, own_);
    if (back.end == RouteEnd::kFound && back.interface == interface_) return false;
    verdict_.reach = Reach::kBlocked;
    if (!explains_) return true;
    verdict_.decider = Decider{.host = facts_.name,
                               .kind = "rp_filter",
                               .text = fmt::format("net.ipv4.conf.{}.rp_filter = 1", interface_),
                               .is_silent = true};
    verdict_.why =
        fmt::format("{} drops packets from {} on {}: answers would leave by {}", facts_.name, to_text(other_),
                    interface_, back.interface.empty() ? "no interface" : back.interface);
    show(ports);
    return true;
  }

  void fail(const RouteAnswer& route, const PortPairs& ports) {
    verdict_.reach = route.end == RouteEnd::kUnknown ? Reach::kUnknown : Reach::kBlocked;
    if (!explains_) return;
    verdict_.why = fmt::format("{}: {}", facts_.name, route.why);
    verdict_.decider = Decider{.host = facts_.name, .kind = route.route != nullptr ? "route" : "policy rule"};
    if (route.rule == nullptr) verdict_.decider->kind = "route";
    verdict_.decider->text = route.route != nullptr ? to_text(*route.route) : route.why;
    show(ports);
  }

  void pass(Hook hook, const PortPairs& ports) {
    if (!question_.passes_firewall || (!explains_ && verdict_.reach == Reach::kBlocked)) return;
    for (const Decided& part : sweep(firewall_, hook, packet_, ports)) {
      if (part.decision == Decision::kAccept) continue;
      const bool is_unknown = part.decision == Decision::kUnknown;
      if (!is_unknown && explains_) {
        for (const PortPairs::Box& box : part.ports.boxes())
          verdict_.blocked_ports.add(is_reply(place_) ? box.source : box.destination);
      }
      const bool is_first =
          verdict_.reach == Reach::kOpen || (verdict_.reach == Reach::kUnknown && !is_unknown);
      if (!is_first) continue;
      verdict_.reach = is_unknown ? Reach::kUnknown : Reach::kBlocked;
      if (!explains_) continue;
      verdict_.decider = decider_of(facts_, part);
      verdict_.ports = part.ports.any();
      verdict_.why = is_unknown
                         ? fmt::format("{} has a rule that is not understood: {}", facts_.name, part.why)
                         : sentence(part);
    }
  }

  std::string sentence(const Decided& part) const {
    const RuleOrigin& origin = *part.origin;
    return fmt::format("{} {} {} packets {}: {} (table {}, chain {})", facts_.name,
                       part.decision == Decision::kDrop ? "drops" : "rejects",
                       is_leaving(place_) ? "outgoing" : "incoming",
                       is_leaving(place_) ? "to " + to_text(other_) : "from " + to_text(other_), origin.text,
                       origin.table, origin.chain);
  }

  // No port is let through.
  void show(const PortPairs& ports) {
    verdict_.ports = ports.any();
    if (verdict_.reach != Reach::kBlocked) return;
    for (const PortPairs::Box& box : ports.boxes())
      verdict_.blocked_ports.add(is_reply(place_) ? box.source : box.destination);
  }

  const hostinfo::HostFacts& facts_;
  const Firewall& firewall_;
  const PlaceQuestion& question_;
  const Place place_;
  const base::Address& own_;
  const base::Address& other_;
  const bool explains_;
  std::string interface_;
  Packet packet_;
  PlaceVerdict verdict_;
};

void take_mtu(const hostinfo::HostFacts& source, const hostinfo::HostFacts& destination,
              const base::Address& from, const base::Address& to, FlowVerdict& verdict) {
  const RouteAnswer route = look_up_route(source, to, from);
  const hostinfo::Interface* const leaving = source.interface_named(route.interface);
  const hostinfo::Interface* const entering = destination.interface_with(to);
  if (leaving == nullptr || entering == nullptr || route.is_local) return;
  const unsigned there = route.route != nullptr ? route.route->mtu.value_or(leaving->mtu) : leaving->mtu;
  verdict.mtu = std::min(there, entering->mtu);
  verdict.is_mtu_uneven = there != entering->mtu;
}

}  // namespace

ReachHost reach_host(const hostinfo::HostFacts& facts) {
  return {.facts = &facts, .firewall = std::make_shared<const Firewall>(read_firewall(facts.firewall))};
}

PortRange ephemeral_ports(const hostinfo::HostFacts& facts) {
  constexpr PortRange kKernelDefaultPorts{.first = 32768, .last = 60999};
  const auto at = facts.sysctls.find("net.ipv4.ip_local_port_range");
  if (at == facts.sysctls.end()) return kKernelDefaultPorts;
  const std::string_view text = base::trimmed(at->second);
  const auto first = base::number_in<std::uint16_t>(base::word_of(text, " \t"));
  const auto last = base::number_in<std::uint16_t>(text.substr(text.find_last_of(" \t") + 1));
  return first && last && *first <= *last ? PortRange{*first, *last} : kKernelDefaultPorts;
}

PortSet ephemeral_port_set(const hostinfo::HostFacts& host) {
  return PortSet{ephemeral_ports(host)};
}

std::string to_text(const ShownPacket& packet) {
  const auto end = [](const base::Address& address, std::uint16_t port) {
    return address.family == base::Family::kIpv4 ? fmt::format("{}:{}", to_text(address), port)
                                                 : fmt::format("[{}]:{}", to_text(address), port);
  };
  return fmt::format("{} -> {}{}", end(packet.source, packet.source_port),
                     end(packet.destination, packet.destination_port), packet.is_reply ? " (answer)" : "");
}

PlaceVerdict judge_place(const ReachHost& host, const PlaceQuestion& question) {
  return PlaceJudge(*host.facts, *host.firewall, question, true).judge();
}

Reach reach_at_place(const hostinfo::HostFacts& host, const Firewall& firewall,
                     const PlaceQuestion& question) {
  return PlaceJudge(host, firewall, question, false).judge().reach;
}

FlowVerdict judge_flow(const ReachHost& source, const ReachHost& destination, const Flow& flow) {
  FlowVerdict verdict;
  const auto chosen = flow.source ? flow.source : look_up_route(*source.facts, flow.destination, {}).source;
  const bool is_there =
      destination.facts->interface_with(flow.destination) != nullptr || flow.destination.is_loopback();
  if (!is_there) {
    verdict.reach = Reach::kUnknown;
    verdict.why = fmt::format("{} is no address of {}: it may be translated on the way",
                              to_text(flow.destination), destination.facts->name);
    verdict.decider =
        Decider{.host = destination.facts->name, .kind = "address", .text = to_text(flow.destination)};
    return verdict;
  }
  if (flow.destination.is_loopback() && source.facts != destination.facts) {
    verdict.reach = Reach::kBlocked;
    verdict.why = fmt::format("{} leads {} to itself, not to {}", to_text(flow.destination),
                              source.facts->name, destination.facts->name);
    verdict.decider =
        Decider{.host = source.facts->name, .kind = "address", .text = to_text(flow.destination)};
    verdict.packet =
        ShownPacket{.source = flow.destination,
                    .destination = flow.destination,
                    .destination_port = flow.ports.empty() ? std::uint16_t{0} : flow.ports.lowest()};
    verdict.blocked_ports = flow.ports;
    return verdict;
  }
  // Without an address to send from, only the route is asked; it says why there is none.
  const base::Address from = chosen.value_or(flow.destination);
  const PortSet client_ports = ephemeral_port_set(*source.facts);
  for (const Place place : {Place::kLeavingSource, Place::kEnteringDestination, Place::kLeavingDestination,
                            Place::kEnteringSource}) {
    const bool is_at_source = place == Place::kLeavingSource || place == Place::kEnteringSource;
    const ReachHost& host = is_at_source ? source : destination;
    const PlaceVerdict part = judge_place(host, {.place = place,
                                                 .own = is_at_source ? from : flow.destination,
                                                 .other = is_at_source ? flow.destination : from,
                                                 .flow_ports = &flow.ports,
                                                 .client_ports = &client_ports,
                                                 .protocol = flow.protocol,
                                                 .passes_firewall = flow.passes_firewall});
    verdict.blocked_ports.add(part.blocked_ports);
    const bool is_worse = (part.reach == Reach::kBlocked && verdict.reach != Reach::kBlocked) ||
                          (part.reach == Reach::kUnknown && verdict.reach == Reach::kOpen);
    if (!is_worse) continue;
    verdict.reach = part.reach;
    verdict.why = part.why;
    verdict.decider = part.decider;
    if (part.ports) {
      verdict.packet = ShownPacket{.source = is_reply(place) ? flow.destination : from,
                                   .source_port = part.ports->source,
                                   .destination = is_reply(place) ? from : flow.destination,
                                   .destination_port = part.ports->destination,
                                   .is_reply = is_reply(place)};
    }
  }
  take_mtu(*source.facts, *destination.facts, from, flow.destination, verdict);
  return verdict;
}

namespace {

// About half a gigabyte of rules that one host has alone; those of several hosts are always kept.
constexpr std::size_t kMaxInstructions = 1'000'000;

std::size_t instructions_in(const Firewall& firewall) {
  std::size_t sum = 0;
  for (const Program& program : firewall.programs) sum += program.instructions.size();
  return sum;
}

std::size_t hash_of(const hostinfo::FirewallTexts& texts) {
  std::size_t hash = std::hash<base::Json>{}(texts.nftables) + (texts.was_seen ? 1 : 0);
  for (const hostinfo::IptablesText& text : texts.iptables)
    hash = hash * 31 + std::hash<std::string>{}(text.text) + static_cast<std::size_t>(text.kind);
  return hash;
}

}  // namespace

ReachHosts::ReachHosts(std::span<const hostinfo::HostFacts> facts) : facts_(facts) {
  std::unordered_multimap<std::size_t, std::size_t> first_hosts;  // by hash
  std::vector<std::size_t> first_of_set;
  for (std::size_t host = 0; host < facts.size(); ++host) {
    const std::size_t hash = hash_of(facts[host].firewall);
    std::size_t found = kept_.size();
    const auto [begin, end] = first_hosts.equal_range(hash);
    for (auto at = begin; at != end && found == kept_.size(); ++at)
      if (facts[first_of_set[at->second]].firewall == facts[host].firewall) found = at->second;
    if (found == kept_.size()) {
      kept_.push_back(std::make_unique<Kept>());
      first_of_set.push_back(host);
      first_hosts.emplace(hash, found);
    } else {
      kept_[found]->is_shared = true;
    }
    rule_sets_.push_back(found);
  }
}

bool ReachHosts::may_keep(const Kept& place, const Firewall& firewall) const {
  if (place.is_shared) return true;
  const std::size_t size = instructions_in(firewall);
  const std::scoped_lock lock(count_mutex_);
  if (instructions_kept_ + size > kMaxInstructions) return false;
  instructions_kept_ += size;
  return true;
}

ReachHost ReachHosts::at(std::size_t host) const {
  Kept& place = *kept_[rule_sets_[host]];
  const std::scoped_lock lock(place.mutex);
  if (place.firewall) return {.facts = &facts_[host], .firewall = place.firewall};
  ReachHost made = reach_host(facts_[host]);
  if (may_keep(place, *made.firewall)) place.firewall = made.firewall;
  return made;
}

std::set<base::Address> shared_addresses(std::span<const hostinfo::HostFacts> hosts) {
  std::set<base::Address> seen;
  std::set<base::Address> shared;
  for (const hostinfo::HostFacts& host : hosts) {
    std::set<base::Address> own;
    for (const hostinfo::Interface& interface : host.interfaces)
      for (const hostinfo::InterfaceAddress& address : interface.addresses)
        own.insert(address.prefix.address);
    for (const base::Address& address : own)
      if (!address.is_loopback() && !seen.insert(address).second) shared.insert(address);
  }
  return shared;
}

}  // namespace lockstep::network
