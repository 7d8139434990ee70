#include "network/pairs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <thread>

#include "network/firewall/narrow.h"

namespace lockstep::network {
namespace {

using Bits = std::vector<std::uint64_t>;

void set_bit(Bits& bits, std::size_t row_words, std::size_t row, std::size_t column) {
  bits[row * row_words + column / 64] |= std::uint64_t{1} << (column % 64);
}

bool has_bit(const Bits& bits, std::size_t row_words, std::size_t row, std::size_t column) {
  return ((bits[row * row_words + column / 64] >> (column % 64)) & 1) != 0;
}

// The host with what its firewall says to the packets of each place a flow passes.
using PlaceHosts = std::array<ReachHost, 4>;

PlaceHosts place_hosts(const ReachHost& host, const Address& own, const PortSet& flow_ports,
                       const PortSet& own_clients, const PortSet& all_clients) {
  PlaceHosts hosts;
  for (const Place place : {Place::kLeavingSource, Place::kEnteringDestination, Place::kLeavingDestination,
                            Place::kEnteringSource}) {
    const bool is_reply = place == Place::kLeavingDestination || place == Place::kEnteringSource;
    const bool is_source = place == Place::kLeavingSource || place == Place::kEnteringSource;
    const PortSet& clients = is_source ? own_clients : all_clients;
    KnownPart known;
    known.state = is_reply ? kEstablished : kNew;
    known.tcp_flags = is_reply ? 0x12 : 0x02;  // SYN and ACK, SYN
    known.own = own;
    known.is_leaving = place == Place::kLeavingSource || place == Place::kLeavingDestination;
    known.ports = is_reply ? PortPairs::Box{flow_ports, clients} : PortPairs::Box{clients, flow_ports};
    hosts[static_cast<std::size_t>(place)] = {.facts = host.facts,
                                              .firewall = narrowed(host.firewall, known)};
  }
  return hosts;
}

// The first address behind each edge at which this host may begin to treat peers in another way.
std::vector<Address> edges_of(const PlaceHosts& hosts) {
  std::vector<Address> edges;
  const ReachHost& host = hosts.front();
  const auto add = [&](const Address& first, const Address& last) {
    edges.push_back(first);
    if (const auto behind = next(last)) edges.push_back(*behind);
  };
  for (const ReachHost& place : hosts)
    for (const Program& program : place.firewall.programs)
      for (const Instruction& instruction : program.instructions)
        for (const AddressSet* set : {&instruction.match.source, &instruction.match.destination})
          for (const AddressRange& range : set->ranges) add(range.first, range.last);
  for (const Route& route : host.facts->routes) add(route.destination.first(), route.destination.last());
  for (const PolicyRule& rule : host.facts->policy_rules)
    if (rule.to) add(rule.to->first(), rule.to->last());
  for (const Interface& interface : host.facts->interfaces) {
    for (const InterfaceAddress& own : interface.addresses) {
      add(own.prefix.first(), own.prefix.last());
      add(own.prefix.address, own.prefix.address);
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

PortSet client_ports_of(const HostFacts& facts) {
  const PortRange range = ephemeral_ports(facts);
  return PortSet{{range.first, range.last}};
}

class PairsJudge {
 public:
  PairsJudge(std::span<const Endpoint> endpoints, const PortSet& ports)
      : endpoints_(endpoints), ports_(ports), order_(endpoints.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t at) { return endpoints_[at].address; });
    for (const Endpoint& endpoint : endpoints_) {
      const PortRange range = ephemeral_ports(*endpoint.host->facts);
      client_ports_.add({range.first, range.last});
    }
    row_words_ = (endpoints.size() + 63) / 64;
    for (Bits* bits :
         {&as_source_blocked_, &as_source_unknown_, &as_destination_blocked_, &as_destination_unknown_})
      bits->assign(endpoints.size() * row_words_, 0);
  }

  // Rows are a host's own, so threads do not meet.
  void judge_host(std::size_t own) {
    const ReachHost& whole = *endpoints_[own].host;
    const PlaceHosts host =
        place_hosts(whole, endpoints_[own].address, ports_, client_ports_of(*whole.facts), client_ports_);
    const std::vector<Address> edges = edges_of(host);
    for (std::size_t begin = 0; begin < order_.size();) {
      const Address& first = endpoints_[order_[begin]].address;
      const auto edge = std::ranges::upper_bound(edges, first);
      std::size_t end = begin + 1;
      while (end < order_.size() && (edge == edges.end() || endpoints_[order_[end]].address < *edge) &&
             endpoints_[order_[end]].address.family == first.family)
        ++end;
      judge_class(own, host, begin, end);
      begin = end;
    }
  }

  PairsVerdict finish(std::size_t most_examples) {
    PairsVerdict verdict;
    verdict.hosts = endpoints_.size();
    verdict.row_words = row_words_;
    verdict.blocked_bits = std::move(as_source_blocked_);
    verdict.unknown_bits = std::move(as_source_unknown_);
    std::vector<PairsVerdict::Example> doubtful;
    for (std::size_t source = 0; source < endpoints_.size(); ++source) {
      for (std::size_t destination = 0; destination < endpoints_.size(); ++destination) {
        if (source == destination) continue;
        if (has_bit(as_destination_blocked_, row_words_, destination, source))
          set_bit(verdict.blocked_bits, row_words_, source, destination);
        if (has_bit(as_destination_unknown_, row_words_, destination, source))
          set_bit(verdict.unknown_bits, row_words_, source, destination);
        const Reach reach = verdict.at(source, destination);
        ++(reach == Reach::kOpen      ? verdict.open
           : reach == Reach::kBlocked ? verdict.blocked
                                      : verdict.unknown);
        auto& list = reach == Reach::kBlocked ? verdict.examples : doubtful;
        if (reach != Reach::kOpen && list.size() < most_examples)
          list.push_back({source, destination, reach});
      }
    }
    for (const auto& example : doubtful)
      if (verdict.examples.size() < most_examples) verdict.examples.push_back(example);
    return verdict;
  }

 private:
  // All peers of a class get the answer of its first; another peer than the host itself.
  void judge_class(std::size_t own, const PlaceHosts& hosts, std::size_t begin, std::size_t end) {
    const std::size_t shown = order_[begin] == own && end - begin > 1 ? begin + 1 : begin;
    if (order_[shown] == own) return;
    const Address& mine = endpoints_[own].address;
    const Address& peer = endpoints_[order_[shown]].address;
    const PortSet own_ports = client_ports_of(*hosts.front().facts);
    const auto ask = [&](Place place, const PortSet& client_ports) {
      return judge_place(hosts[static_cast<std::size_t>(place)], place, mine, peer, ports_, client_ports,
                         kTcp)
          .reach;
    };
    const Reach as_source =
        worse(ask(Place::kLeavingSource, own_ports), ask(Place::kEnteringSource, own_ports));
    const Reach as_destination = worse(ask(Place::kEnteringDestination, client_ports_),
                                       ask(Place::kLeavingDestination, client_ports_));
    for (std::size_t at = begin; at < end; ++at) {
      mark(as_source, as_source_blocked_, as_source_unknown_, own, order_[at]);
      mark(as_destination, as_destination_blocked_, as_destination_unknown_, own, order_[at]);
    }
  }

  static Reach worse(Reach left, Reach right) {
    if (left == Reach::kBlocked || right == Reach::kBlocked) return Reach::kBlocked;
    return left == Reach::kOpen ? right : left;
  }

  void mark(Reach reach, Bits& blocked, Bits& unknown, std::size_t row, std::size_t column) const {
    if (reach == Reach::kBlocked) set_bit(blocked, row_words_, row, column);
    if (reach == Reach::kUnknown) set_bit(unknown, row_words_, row, column);
  }

  std::span<const Endpoint> endpoints_;
  const PortSet& ports_;
  std::vector<std::size_t> order_;  // by address
  PortSet client_ports_;            // of all hosts together
  std::size_t row_words_ = 0;
  Bits as_source_blocked_;  // a row for each source
  Bits as_source_unknown_;
  Bits as_destination_blocked_;  // a row for each destination
  Bits as_destination_unknown_;
};

}  // namespace

Reach PairsVerdict::at(std::size_t source, std::size_t destination) const {
  if (has_bit(blocked_bits, row_words, source, destination)) return Reach::kBlocked;
  return has_bit(unknown_bits, row_words, source, destination) ? Reach::kUnknown : Reach::kOpen;
}

PairsVerdict judge_pairs(std::span<const Endpoint> endpoints, const PortSet& ports, unsigned threads,
                         std::size_t most_examples) {
  PairsJudge judge(endpoints, ports);
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
  return judge.finish(most_examples);
}

}  // namespace lockstep::network
