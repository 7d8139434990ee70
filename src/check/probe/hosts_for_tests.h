// Facts of small hosts, for the tests of this folder.
#pragma once

#include <string>
#include <vector>

#include "check/flows/required_flows.h"
#include "hostinfo/host_facts.h"

namespace lockstep::probe {

inline hostinfo::HostFacts host_for_tests(std::size_t number, const std::string& rules = "") {
  hostinfo::HostFacts facts;
  facts.name = "h" + std::to_string(number);
  hostinfo::Interface interface;
  interface.name = "eth0";
  interface.mtu = 1500;
  interface.is_up = interface.is_running = true;
  const base::Address own = base::ipv4(0x0a000001U + static_cast<std::uint32_t>(number));
  interface.addresses = {{.prefix = {own, 16}}};
  facts.routes = {{.destination = {interface.addresses[0].prefix.first(), 16}, .interface = "eth0"}};
  facts.interfaces = {std::move(interface)};
  facts.firewall.was_seen = true;
  if (!rules.empty())
    facts.firewall.iptables = {{hostinfo::IptablesKind::kLegacy, false, "*filter\n" + rules + "COMMIT\n"}};
  return facts;
}

// Everybody to everybody else, on 1024 to 1123.
inline flows::FlowPlan mesh_for_tests(const std::vector<hostinfo::HostFacts>& hosts) {
  flows::Mesh mesh;
  mesh.kind = flows::FlowKind::kMpi;
  for (std::size_t at = 0; at < hosts.size(); ++at)
    mesh.ends.push_back({at, hosts[at].interfaces[0].addresses[0].prefix.address,
                         network::PortSet{{1024, 1123}}, std::nullopt});
  flows::FlowPlan plan;
  plan.meshes.push_back(std::move(mesh));
  return plan;
}

}  // namespace lockstep::probe
