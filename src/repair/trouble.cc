#include "repair/trouble.h"

#include <algorithm>
#include <map>
#include <thread>

#include "network/shared_addresses.h"

namespace lockstep::repair {
namespace {

using network::Reach;
using Matrix = std::vector<std::vector<Trouble>>;

std::vector<network::HostFacts> without_firewalls(std::span<const network::HostFacts> hosts) {
  if (std::ranges::none_of(hosts, has_firewall)) return {};
  std::vector<network::HostFacts> bare(hosts.begin(), hosts.end());
  for (network::HostFacts& host : bare) {
    host.firewall = {};
    host.firewall.was_seen = true;
  }
  return bare;
}

}  // namespace

bool has_firewall(const network::HostFacts& host) {
  return !host.firewall.nftables.is_null() || !host.firewall.iptables.empty();
}

Troubles::Troubles(std::span<const network::HostFacts> hosts)
    : reach_(hosts),
      shared_(network::shared_addresses(hosts)),
      bare_facts_(without_firewalls(hosts)),
      bare_(bare_facts_) {}

bool Troubles::reaches_itself(std::size_t source, const network::Address& address) const {
  return shared_.contains(address) && reach_.facts(source).interface_with(address) != nullptr;
}

Trouble Troubles::of(const preflight::RequiredFlow& flow) const {
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

Matrix Troubles::between(const preflight::Mesh& mesh) const {
  const bool are_bound =
      std::ranges::any_of(mesh.ends, [](const preflight::Mesh::End& end) { return end.bound.has_value(); });
  return are_bound || mesh.ends.size() <= reach_.size() ? between_ends(mesh) : from_hosts(mesh);
}

// Which of its addresses a host gives to others does not matter for where it connects.
Matrix Troubles::from_hosts(const preflight::Mesh& mesh) const {
  Matrix troubles(mesh.ends.size(), std::vector<Trouble>(mesh.ends.size(), Trouble::kNone));
  std::map<std::size_t, std::size_t> rows;  // the first end of each host
  for (std::size_t source = 0; source < mesh.ends.size(); ++source) {
    const auto [row, is_new] = rows.try_emplace(mesh.ends[source].host, source);
    if (!is_new) {
      troubles[source] = troubles[row->second];
      continue;
    }
    for (std::size_t to = 0; to < mesh.ends.size(); ++to)
      if (mesh.ends[source].host != mesh.ends[to].host) troubles[source][to] = of(mesh.flow(source, to));
  }
  return troubles;
}

Matrix Troubles::between_ends(const preflight::Mesh& mesh) const {
  std::vector<network::Endpoint> ends;
  for (const preflight::Mesh::End& end : mesh.ends)
    ends.push_back({end.host, end.address, end.ports, end.bound});
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
