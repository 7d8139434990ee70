// What must change for a connection to come about.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "check/flows/required_flows.h"
#include "network/pairs.h"
#include "network/reach_hosts.h"

namespace lockstep::repair {

enum class Trouble : std::uint8_t {
  kNone = 0,
  kSourceFirewall = 1,
  kDestinationFirewall = 2,
  kBothFirewalls = 3,
  kNoWay = 4,  // no route, no such address: firewalls have no part in it
};

bool has_firewall(const hostinfo::HostFacts& host);

class Troubles {
 public:
  explicit Troubles(std::span<const hostinfo::HostFacts> hosts);

  Trouble of(const flows::RequiredFlow& flow) const;
  // Of each end to each other; a row for each source.
  std::vector<std::vector<Trouble>> between(const flows::Mesh& mesh) const;
  const network::ReachHosts& reach() const { return reach_; }
  bool has_firewalls() const { return !bare_facts_.empty(); }  // some host

 private:
  std::vector<std::vector<Trouble>> between_ends(const flows::Mesh& mesh) const;
  std::vector<std::vector<Trouble>> from_hosts(const flows::Mesh& mesh) const;
  bool reaches_itself(std::size_t source, const base::Address& address) const;

  network::ReachHosts reach_;
  std::set<base::Address> shared_;
  std::vector<hostinfo::HostFacts> bare_facts_;  // empty where no host has a firewall
  network::ReachHosts bare_;
};

}  // namespace lockstep::repair
