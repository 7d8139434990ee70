#include "network/pairs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <thread>

#include "network/firewall/narrow.h"
#include "network/route_lookup.h"

namespace lockstep::network {
namespace {

// What a host's firewall says to the packets of each place a flow passes.
using PlaceFirewalls = std::array<Firewall, 4>;

struct PlacePorts {
  PortSet own;           // where this host listens
  PortSet peers;         // where any other does
  PortSet own_clients;   // from where this host connects
  PortSet peer_clients;  // from where any other does
};

bool is_at_source(Place place) {
  return place == Place::kLeavingSource || place == Place::kEnteringSource;
}

PlaceFirewalls place_firewalls(const ReachHost& host, const base::Address& as_source,
                               const base::Address& as_destination, const PlacePorts& ports) {
  PlaceFirewalls made;
  for (const Place place : {Place::kLeavingSource, Place::kEnteringDestination, Place::kLeavingDestination,
                            Place::kEnteringSource}) {
    const bool is_reply = place == Place::kLeavingDestination || place == Place::kEnteringSource;
    const PortSet& servers = is_at_source(place) ? ports.peers : ports.own;
    const PortSet& clients = is_at_source(place) ? ports.own_clients : ports.peer_clients;
    KnownPart known;
    known.state = is_reply ? kEstablished : kNew;
    known.tcp_flags = is_reply ? 0x12 : 0x02;  // SYN and ACK, SYN
    known.own = is_at_source(place) ? as_source : as_destination;
    known.is_leaving = place == Place::kLeavingSource || place == Place::kLeavingDestination;
    known.ports = is_reply ? PortPairs::Box{servers, clients} : PortPairs::Box{clients, servers};
    made[static_cast<std::size_t>(place)] = narrowed(*host.firewall, known);
  }
  return made;
}

// The first address behind each edge at which this host may begin to treat peers in another way.
std::vector<base::Address> edges_of(const hostinfo::HostFacts& facts, const PlaceFirewalls& firewalls) {
  std::vector<base::Address> edges;
  const auto add = [&](const base::Address& first, const base::Address& last) {
    edges.push_back(first);
    if (const auto behind = next(last)) edges.push_back(*behind);
  };
  for (const Firewall& firewall : firewalls)
    for (const Program& program : firewall.programs)
      for (const Instruction& instruction : program.instructions)
        for (const AddressSet* set : {&instruction.match.source, &instruction.match.destination})
          for (const AddressRange& range : set->ranges) add(range.first, range.last);
  for (const hostinfo::Route& route : facts.routes) add(route.destination.first(), route.destination.last());
  for (const hostinfo::PolicyRule& rule : facts.policy_rules)
    if (rule.to) add(rule.to->first(), rule.to->last());
  for (const hostinfo::Interface& interface : facts.interfaces) {
    for (const hostinfo::InterfaceAddress& own : interface.addresses) {
      add(own.prefix.first(), own.prefix.last());
      add(own.prefix.address, own.prefix.address);
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

class PairsJudge {
 public:
  PairsJudge(const ReachHosts& hosts, std::span<const Endpoint> endpoints)
      : hosts_(hosts),
        endpoints_(endpoints),
        by_address_(endpoints.size()),
        blocked_(endpoints.size()),
        unknown_(endpoints.size()),
        alone_(endpoints.size()),
        refused_(endpoints.size()),
        doubted_(endpoints.size()) {
    for (std::size_t at = 0; at < endpoints.size(); ++at) {
      const hostinfo::HostFacts& facts = hosts_.facts(endpoints[at].host);
      const base::Address& address = endpoints[at].address;
      is_found_.push_back(!address.is_loopback() && facts.interface_with(address) != nullptr ? 1 : 0);
      listening_.push_back(number_of(endpoints[at].ports));
      connecting_.push_back(number_of(ephemeral_port_set(facts)));
      all_ports_.add(endpoints[at].ports);
      all_clients_.add(port_sets_[connecting_[at]]);
      seen_as_.push_back(source_of(at, at == 0 ? endpoints.size() - 1 : 0));
    }
    std::iota(by_address_.begin(), by_address_.end(), std::size_t{0});
    by_source_ = by_address_;
    std::ranges::sort(by_address_, [&](std::size_t left, std::size_t right) {
      return endpoints_[left].address < endpoints_[right].address;
    });
    std::ranges::sort(by_source_, {}, [&](std::size_t at) { return seen_as_[at]; });
  }

  // Rows are a host's own, so threads do not meet.
  void judge_host(std::size_t own) {
    const ReachHost host = hosts_.at(endpoints_[own].host);
    const PlacePorts ports{.own = endpoints_[own].ports,
                           .peers = all_ports_,
                           .own_clients = ephemeral_port_set(*host.facts),
                           .peer_clients = all_clients_};
    const PlaceFirewalls firewalls = place_firewalls(host, seen_as_[own], endpoints_[own].address, ports);
    const std::vector<base::Address> edges = edges_of(*host.facts, firewalls);
    const auto address = [&](std::size_t at) -> const base::Address& { return endpoints_[at].address; };
    for_each_class(by_address_, edges, address, [&](std::span<const std::size_t> peers) {
      judge_as_source(own, *host.facts, firewalls, ports, peers);
    });
    const auto source = [&](std::size_t at) -> const base::Address& { return seen_as_[at]; };
    for_each_class(by_source_, edges, source, [&](std::span<const std::size_t> peers) {
      judge_as_destination(own, *host.facts, firewalls, ports, peers);
    });
  }

  PairsVerdict finish() {
    const BitMatrix refused = refused_.transposed();
    const BitMatrix doubted = doubted_.transposed();
    for (std::size_t source = 0; source < endpoints_.size(); ++source) {
      const auto blocked = blocked_.row(source);
      const auto unknown = unknown_.row(source);
      for (std::size_t word = 0; word < blocked.size(); ++word) {
        blocked[word] |= refused.row(source)[word] & ~alone_.row(source)[word];
        unknown[word] |= doubted.row(source)[word] & ~alone_.row(source)[word];
      }
      blocked[source / 64] &= ~(std::uint64_t{1} << (source % 64));
      for (std::size_t word = 0; word < blocked.size(); ++word) unknown[word] &= ~blocked[word];
      unknown[source / 64] &= ~(std::uint64_t{1} << (source % 64));
    }
    PairsVerdict verdict;
    const std::uint64_t all = std::uint64_t{endpoints_.size()} * (endpoints_.size() - 1);
    verdict.blocked = blocked_.count();
    verdict.unknown = unknown_.count();
    verdict.open = all - verdict.blocked - verdict.unknown;
    verdict.blocked_pairs = std::move(blocked_);
    verdict.unknown_pairs = std::move(unknown_);
    return verdict;
  }

 private:
  static constexpr std::size_t kNothingAsked = static_cast<std::size_t>(-1);

  // What the routes of `own` put in as source towards a peer; the address it has, where they have no answer.
  base::Address source_of(std::size_t own, std::size_t peer) const {
    if (endpoints_[own].bound) return *endpoints_[own].bound;
    const auto chosen =
        look_up_route(hosts_.facts(endpoints_[own].host), endpoints_[peer].address, {}).source;
    return chosen.value_or(endpoints_[own].address);
  }

  // Runs of peers whose address stands between the same two edges.
  template <typename AddressOf, typename Judge>
  static void for_each_class(std::span<const std::size_t> order, const std::vector<base::Address>& edges,
                             const AddressOf& address_of, const Judge& judge) {
    for (std::size_t begin = 0; begin < order.size();) {
      const base::Address& first = address_of(order[begin]);
      const auto edge = std::ranges::upper_bound(edges, first);
      std::size_t end = begin + 1;
      while (end < order.size() && (edge == edges.end() || address_of(order[end]) < *edge) &&
             address_of(order[end]).family == first.family)
        ++end;
      judge(order.subspan(begin, end - begin));
      begin = end;
    }
  }

  // All peers of a class that listen at the same ports get the answer of one of them.
  void judge_as_source(std::size_t own, const hostinfo::HostFacts& facts, const PlaceFirewalls& firewalls,
                       const PlacePorts& ports, std::span<const std::size_t> peers) {
    const std::size_t shown = peers.front() == own && peers.size() > 1 ? peers[1] : peers.front();
    if (shown == own) return;
    if (!endpoints_[own].bound && source_of(own, shown) != seen_as_[own]) return judge_alone(own, peers);
    std::size_t asked = kNothingAsked;
    Reach reach = Reach::kOpen;
    for (const std::size_t peer : peers) {
      if (peer == own) continue;
      if (is_found_[peer] == 0) {
        judge_alone(own, {&peer, 1});
        continue;
      }
      if (listening_[peer] != asked) {
        asked = listening_[peer];
        const auto ask = [&](Place place) {
          return reach_at_place(facts, firewalls[static_cast<std::size_t>(place)],
                                {.place = place,
                                 .own = seen_as_[own],
                                 .other = endpoints_[peer].address,
                                 .flow_ports = &port_sets_[asked],
                                 .client_ports = &ports.own_clients});
        };
        reach = worse(ask(Place::kLeavingSource), ask(Place::kEnteringSource));
      }
      if (reach == Reach::kBlocked) blocked_.set(own, peer);
      if (reach == Reach::kUnknown) unknown_.set(own, peer);
    }
  }

  void judge_as_destination(std::size_t own, const hostinfo::HostFacts& facts,
                            const PlaceFirewalls& firewalls, const PlacePorts& ports,
                            std::span<const std::size_t> peers) {
    if (is_found_[own] == 0) return;
    std::size_t asked = kNothingAsked;
    Reach reach = Reach::kOpen;
    for (const std::size_t peer : peers) {
      if (peer == own) continue;
      if (connecting_[peer] != asked) {
        asked = connecting_[peer];
        const auto ask = [&](Place place) {
          return reach_at_place(facts, firewalls[static_cast<std::size_t>(place)],
                                {.place = place,
                                 .own = endpoints_[own].address,
                                 .other = seen_as_[peer],
                                 .flow_ports = &ports.own,
                                 .client_ports = &port_sets_[asked]});
        };
        reach = worse(ask(Place::kEnteringDestination), ask(Place::kLeavingDestination));
      }
      if (reach == Reach::kBlocked) refused_.set(own, peer);
      if (reach == Reach::kUnknown) doubted_.set(own, peer);
    }
  }

  // A host with several ways out is seen by another address there; a loopback or foreign address leads
  // nowhere.
  void judge_alone(std::size_t own, std::span<const std::size_t> peers) {
    for (const std::size_t peer : peers) {
      if (peer == own) continue;
      alone_.set(own, peer);
      const Endpoint& other = endpoints_[peer];
      const Reach reach =
          judge_flow(hosts_.at(endpoints_[own].host), hosts_.at(other.host),
                     {.source = endpoints_[own].bound, .destination = other.address, .ports = other.ports})
              .reach;
      if (reach == Reach::kBlocked) blocked_.set(own, peer);
      if (reach == Reach::kUnknown) unknown_.set(own, peer);
    }
  }

  std::size_t number_of(const PortSet& ports) {
    const auto found = std::ranges::find(port_sets_, ports);
    if (found != port_sets_.end()) return static_cast<std::size_t>(found - port_sets_.begin());
    port_sets_.push_back(ports);
    return port_sets_.size() - 1;
  }

  static Reach worse(Reach left, Reach right) {
    if (left == Reach::kBlocked || right == Reach::kBlocked) return Reach::kBlocked;
    return left == Reach::kOpen ? right : left;
  }

  const ReachHosts& hosts_;
  std::span<const Endpoint> endpoints_;
  std::vector<std::size_t> by_address_;
  std::vector<std::size_t> by_source_;
  std::vector<base::Address> seen_as_;   // the address from which each connects to nearly all others
  std::vector<char> is_found_;           // at the address it gives
  std::vector<PortSet> port_sets_;       // that differ
  std::vector<std::size_t> listening_;   // port set of each
  std::vector<std::size_t> connecting_;  // port set of each
  PortSet all_ports_;
  PortSet all_clients_;
  BitMatrix blocked_;  // a row for each source
  BitMatrix unknown_;
  BitMatrix alone_;    // pairs that were judged by themselves
  BitMatrix refused_;  // a row for each destination
  BitMatrix doubted_;
};

}  // namespace

PairsVerdict judge_pairs(const ReachHosts& hosts, std::span<const Endpoint> endpoints, unsigned threads) {
  if (endpoints.size() < 2) return {};
  PairsJudge judge(hosts, endpoints);
  std::atomic<std::size_t> next_host{0};
  const auto work = [&] {
    for (std::size_t at = next_host++; at < endpoints.size(); at = next_host++) judge.judge_host(at);
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned at = 1; at < std::min<std::size_t>(threads, endpoints.size()); ++at)
      workers.emplace_back(work);
    work();
  }
  return judge.finish();
}

}  // namespace lockstep::network
