// Any text in the place of `ip -j` gives facts or a fault, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "network/facts/ip_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace network = lockstep::network;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> faults;
  (void)network::interfaces_in(text, faults);
  (void)network::routes_in(text, base::Family::kIpv4, faults);
  (void)network::policy_rules_in(text, base::Family::kIpv6, faults);
  return 0;
}
