// Any text in the place of iptables-save's gives programs that can be swept.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "network/firewall/rule_sets.h"
#include "network/firewall/sweep.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace base = lockstep::base;
  namespace hostinfo = lockstep::hostinfo;
  namespace network = lockstep::network;
  hostinfo::IptablesText text;
  text.text.assign(reinterpret_cast<const char*>(data), size);
  std::set<std::string> tables;
  network::Packet packet;
  packet.source = base::ipv4(0x0a000001);
  packet.destination = base::ipv4(0x0a000002);
  for (const network::Program& program : network::iptables_programs(text, tables)) {
    const auto parts = network::sweep(
        program, packet, network::PortPairs(network::PortSet::one(40000), network::PortSet::one(29500)));
    CHECK(parts.size() == 1 && parts[0].ports.contains({40000, 29500}), "one packet gets one decision");
  }
  return 0;
}
