// decode_facts survives any bytes, and what it accepts survives being written and read again; its firewall
// can be read and asked.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "hostinfo/facts_json.h"
#include "network/reach.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace base = lockstep::base;
  namespace hostinfo = lockstep::hostinfo;
  namespace network = lockstep::network;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto decoded = hostinfo::decode_facts(text, "fuzz");
  if (!decoded.ok()) return 0;
  const auto again = hostinfo::decode_facts(hostinfo::encode_facts(decoded.value()), "fuzz");
  CHECK(again.ok(), "what encode_facts writes can be decoded");
  const network::ReachHost host = network::reach_host(decoded.value());
  network::Flow flow;
  flow.destination = base::ipv4(0x0a000001);
  flow.ports = network::PortSet::one(29500);
  (void)network::judge_flow(host, host, flow);
  return 0;
}
