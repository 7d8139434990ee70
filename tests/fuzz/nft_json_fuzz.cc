// Any JSON in the place of nft's gives programs that can be swept, whose parts cover what was asked.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "network/firewall/rule_sets.h"
#include "network/firewall/sweep.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace base = lockstep::base;
  namespace network = lockstep::network;
  const auto json =
      lockstep::base::parse_json(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!json.ok()) return 0;
  std::vector<std::string> limits;
  network::Packet packet;
  packet.source = base::ipv4(0x0a000001);
  packet.destination = base::ipv4(0x0a000002);
  for (const network::Program& program : network::nft_programs(json.value(), {}, limits)) {
    const auto parts = network::sweep(
        program, packet, network::PortPairs(network::PortSet::one(40000), network::PortSet::one(29500)));
    CHECK(parts.size() == 1 && parts[0].ports.contains({40000, 29500}), "one packet gets one decision");
  }
  return 0;
}
