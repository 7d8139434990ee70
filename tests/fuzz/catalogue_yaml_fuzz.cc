// Any bytes as a catalogue file: refused with a reason or decoded, never more.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/yaml.h"
#include "catalogue/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = lockstep::base::parse_yaml({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  if (!json.ok()) return 0;
  (void)lockstep::catalogue::decode_symptom(json.value(), {}, "fuzz");
  (void)lockstep::catalogue::decode_facts(json.value(), "fuzz");
  (void)lockstep::catalogue::decode_recipes(json.value(), "fuzz");
  return 0;
}
