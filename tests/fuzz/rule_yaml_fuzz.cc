// Any bytes as a rule: refused with a reason or decoded and tried on its samples, never more.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/yaml.h"
#include "check/rules/catalogue.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = lockstep::base::parse_yaml({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!json.ok()) return 0;
  (void)lockstep::rules::sample_faults(lockstep::base::Json::array({json.value()}));
  return 0;
}
