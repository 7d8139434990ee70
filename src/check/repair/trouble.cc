#include "check/repair/trouble.h"

#include <algorithm>
#include <map>
#include <thread>

#include "network/route_lookup.h"
#include "network/shared_addresses.h"

namespace lockstep::repair {
namespace {

using network::Reach;
using Matrix = std::vector<std::vector<Trouble>>;

std::vector<hostinfo::HostFacts> without_firewalls(std::span<const hostinfo::HostFacts> hosts) {
  if (std::ranges::none_of(hosts, has_firewall)) return {};
  std::vector<hostinfo::HostFacts> bare(hosts.begin(), hosts.end());
  for (hostinfo::HostFacts& host : bare) {
    host.firewall = {};
    host.firewall.was_seen = true;
  }
  return bare;
}

}  // namespace

bool has_firewall(const hostinfo::HostFacts& host) {
  return !host.firewall.nftables.is_null() || !host.firewall.iptables.empty();
}

Troubles::Troubles(std::span<const hostinfo::HostFacts> hosts)
    : reach_(hosts),
      shared_(network::shared_addresses(hosts)),
      bare_facts_(without_firewalls(hosts)),
      bare_(bare_facts_) {}

bool Troubles::reaches_itself(std::size_t source, const base::Address& address) const {
  return shared_.contains(address) && reach_.facts(source).interface_with(address) != nullptr;
}

Trouble Troubles::of(const flows::RequiredFlow& flow) const {
  if (reaches_itself(flow.source, flow.flow.destination)) return Trouble::kNoWay;
  const auto is_blocked = [&](const network::ReachHosts& source, const network::ReachHosts& destination) {
    return network::judge_flow(source.at(flow.source), destination.at(flow.destination), flow.flow).reach ==
           Reach::kBlocked;
  };
  if (!is_blocked(reach_, reach_)) return Trouble::kNone;
  if (bare_facts_.empty() || is_blocked(bare_, bare_)) return Trouble::kNoWay;
  if (!is_blocked(bare_, reach_)) return Trouble::kSourceFirewall;
  return is_blocked(reach_, bare_) ? Trouble::kBothFirewalls : Trouble::kDestinationFirewall;
}

Matrix Troubles::between(const flows::Mesh& mesh) const {
  const bool are_bound =
      std::ranges::any_of(mesh.ends, [](const flows::Mesh::End& end) { return end.bound.has_value(); });
  return are_bound || mesh.ends.size() <= reach_.size() ? between_ends(mesh) : from_hosts(mesh);
}

// Which of its addresses a host gives to others does not matter for where it connects: one row for each host.
// A connection is as if bound to the address that the host's routes choose.
Matrix Troubles::from_hosts(const flows::Mesh& mesh) const {
  flows::Mesh bound = mesh;
  for (flows::Mesh::End& end : bound.ends) end.bound = end.address;
  const Matrix bound_troubles = between_ends(bound);
  Matrix troubles(mesh.ends.size());
  std::map<std::size_t, std::vector<std::size_t>> by_host;
  for (std::size_t end = 0; end < mesh.ends.size(); ++end) by_host[mesh.ends[end].host].push_back(end);
  for (const auto& [host, own] : by_host) {
    std::vector<Trouble> row(mesh.ends.size(), Trouble::kNone);
    for (std::size_t to = 0; to < mesh.ends.size(); ++to) {
      if (mesh.ends[to].host == host) continue;
      const base::Address& address = mesh.ends[to].address;
      const auto way = network::look_up_source(reach_.facts(host), address);
      const auto from = std::ranges::find_if(
          own, [&](std::size_t end) { return way.address && mesh.ends[end].address == *way.address; });
      const bool has_no_route =
          way.end == network::RouteEnd::kNoRoute || way.end == network::RouteEnd::kRefused;
      if (from != own.end()) {
        row[to] = bound_troubles[*from][to];
      } else if (has_no_route && reach_.facts(mesh.ends[to].host).interface_with(address) != nullptr) {
        row[to] = Trouble::kNoWay;
      } else {
        row[to] = of(mesh.flow(own.front(), to));
      }
    }
    for (const std::size_t end : own) troubles[end] = row;
  }
  return troubles;
}

Matrix Troubles::between_ends(const flows::Mesh& mesh) const {
  std::vector<network::Endpoint> ends;
  for (const flows::Mesh::End& end : mesh.ends) ends.push_back({end.host, end.address, end.ports, end.bound});
  const unsigned threads = std::thread::hardware_concurrency();
  const auto pairs = network::judge_pairs(reach_, ends, threads);
  network::PairsVerdict bare;
  if (!bare_facts_.empty()) bare = network::judge_pairs(bare_, ends, threads);
  Matrix troubles(ends.size(), std::vector<Trouble>(ends.size(), Trouble::kNone));
  for (std::size_t source = 0; source < ends.size(); ++source) {
    for (std::size_t to = 0; to < ends.size(); ++to) {
      if (ends[source].host == ends[to].host) continue;
      if (reaches_itself(ends[source].host, ends[to].address)) troubles[source][to] = Trouble::kNoWay;
      if (troubles[source][to] != Trouble::kNone || pairs.at(source, to) != Reach::kBlocked) continue;
      const bool has_no_way = bare_facts_.empty() || bare.at(source, to) == Reach::kBlocked;
      troubles[source][to] = has_no_way ? Trouble::kNoWay : of(mesh.flow(source, to));
    }
  }
  return troubles;
}

}  // namespace lockstep::repair
