#include "check/repair/trouble.h"

#include <algorithm>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "network/reach.h"
#include "network/route_lookup.h"

namespace lockstep::repair {
namespace {

using network::Reach;

using Matrix = std::vector<std::vector<Trouble>>;

// Both directions of a pair in one: what must be opened at the row's host and at the column's.
Matrix needs_of(const flows::Mesh& mesh, const Matrix& troubles) {
  Matrix needs = troubles;
  const auto of = [&](std::size_t source, std::size_t to) {
    return mesh.kind_of(source, to) ? static_cast<int>(troubles[source][to]) : 0;
  };
  for (std::size_t row = 0; row < needs.size(); ++row) {
    for (std::size_t column = 0; column < needs.size(); ++column) {
      const flows::Mesh::End& a = mesh.ends[row];
      const flows::Mesh::End& b = mesh.ends[column];
      if (a.host == b.host) continue;
      const int back = of(column, row);
      const int turned = back == 1 ? 2 : back == 2 ? 1 : back;
      int both = of(row, column) | turned;
      if (both > 4 || a.address.family != b.address.family) both = 4;
      needs[row][column] = static_cast<Trouble>(both);
    }
  }
  return needs;
}

class MeshConditions {
 public:
  MeshConditions(RepairProblem& problem, const flows::Mesh& mesh, const Matrix& needs,
                 const std::vector<Candidate>& candidates)
      : problem_(problem), mesh_(mesh), needs_(needs), candidates_(candidates) {}

  void add() {
    find_hopeless();
    group();
    for (std::size_t a = 0; a < classes_.size(); ++a)
      for (std::size_t b = a; b < classes_.size(); ++b) add_between(a, b);
  }

 private:
  // Alike, but for what each has to do with the other's host.
  bool are_alike(std::size_t one, std::size_t other) const {
    const std::size_t own = mesh_.ends[one].host;
    const std::size_t others = mesh_.ends[other].host;
    if (own == others) return false;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const std::size_t host = mesh_.ends[i].host;
      if (host != own && host != others && needs_[one][i] != needs_[other][i]) return false;
    }
    return true;
  }

  // A candidate that reaches none of some other host's is out, and with it others may be: few choices are
  // left to the solver.
  void find_hopeless() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) by_host_[mesh_.ends[i].host].push_back(i);
    is_hopeless_.assign(candidates_.size(), false);
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (is_hopeless_[i]) continue;
        for (const auto& [host, others] : by_host_) {
          if (host == mesh_.ends[i].host || std::ranges::any_of(others, [&](std::size_t other) {
                return !is_hopeless_[other] && needs_[i][other] != Trouble::kNoWay;
              }))
            continue;
          is_hopeless_[i] = is_new = true;
          problem_.choices().require({!candidates_[i].chosen}, words_for(i, others.front()));
          break;
        }
      }
    }
  }

  void group() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (is_hopeless_[i]) continue;
      const auto place = std::ranges::find_if(
          classes_, [&](const std::vector<std::size_t>& one) { return are_alike(one.front(), i); });
      if (place == classes_.end()) {
        classes_.push_back({i});
      } else {
        place->push_back(i);
      }
    }
    for (const auto& members : classes_) {
      std::vector<Literal> literals;
      for (const std::size_t member : members) literals.push_back(candidates_[member].chosen);
      used_.push_back(problem_.choices().any_of(literals));
    }
  }

  // What all pairs between two classes need, if that is one thing.
  std::optional<Trouble> common_need(std::size_t a, std::size_t b) const {
    std::optional<Trouble> need;
    for (const std::size_t one : classes_[a]) {
      for (const std::size_t other : classes_[b]) {
        if (mesh_.ends[one].host == mesh_.ends[other].host) continue;
        if (need && *need != needs_[one][other]) return std::nullopt;
        need = needs_[one][other];
      }
    }
    return need ? need : Trouble::kNone;
  }

  void add_between(std::size_t a, std::size_t b) {
    const auto need = common_need(a, b);
    if (need == Trouble::kNone) return;
    if (need == Trouble::kNoWay) {
      if (a != b) {
        problem_.choices().require({!used_[a], !used_[b]},
                                   words_for(classes_[a].front(), classes_[b].front()));
      } else {
        std::vector<Literal> literals;
        for (const std::size_t member : classes_[a]) literals.push_back(candidates_[member].chosen);
        problem_.choices().at_most_one(std::move(literals),
                                       words_for(classes_[a].front(), classes_[a].back()));
      }
      return;
    }
    for (const std::size_t one : classes_[a])
      for (const std::size_t other : classes_[b])
        if (mesh_.ends[one].host != mesh_.ends[other].host && (a != b || one < other)) add_pair(one, other);
  }

  void add_pair(std::size_t one, std::size_t other) {
    const auto need = static_cast<int>(needs_[one][other]);
    if (need == 0) return;
    const std::vector<Literal> either{!candidates_[one].chosen, !candidates_[other].chosen};
    const std::string why = words_for(one, other);
    if (need == static_cast<int>(Trouble::kNoWay)) return problem_.choices().require(either, why);
    for (const auto& [bit, at] : {std::pair(1, one), std::pair(2, other)}) {
      if ((need & bit) == 0) continue;
      std::vector<Literal> opened = either;
      opened.push_back(problem_.opened(mesh_.ends[at].host));
      problem_.choices().require(std::move(opened), why);
    }
  }

  std::string words_for(std::size_t one, std::size_t other) const {
    return fmt::format("{}: {} and {} do not reach each other", flows::meaning_of(mesh_.kind).what,
                       candidates_[one].words, candidates_[other].words);
  }

  RepairProblem& problem_;
  const flows::Mesh& mesh_;
  const Matrix& needs_;
  const std::vector<Candidate>& candidates_;
  std::map<std::size_t, std::vector<std::size_t>> by_host_;
  std::vector<bool> is_hopeless_;
  std::vector<std::vector<std::size_t>> classes_;
  std::vector<Literal> used_;
};

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

void require_mesh(RepairProblem& problem, const Troubles& troubles, flows::Mesh mesh,
                  const std::vector<Candidate>& candidates) {
  mesh.ends.clear();
  mesh.creator = candidates.size();
  for (const Candidate& candidate : candidates) mesh.ends.push_back(candidate.end);
  const Matrix needs = needs_of(mesh, troubles.between(mesh));
  MeshConditions(problem, mesh, needs, candidates).add();
}

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
