// Any text in the place of `ip -j` gives facts or a fault, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hostinfo/collect/parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace base = lockstep::base;
  namespace hostinfo = lockstep::hostinfo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> faults;
  (void)hostinfo::interfaces_in(text, faults);
  (void)hostinfo::routes_in(text, base::Family::kIpv4, faults);
  (void)hostinfo::policy_rules_in(text, base::Family::kIpv6, faults);
  return 0;
}
