// decode_findings survives any bytes, and what it accepts survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "report/findings_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto decoded = lockstep::report::decode_findings(text, "fuzz");
  if (!decoded.ok()) return 0;
  const auto again =
      lockstep::report::decode_findings(lockstep::report::encode_findings(decoded.value()), "fuzz");
  CHECK(again.ok(), "what encode_findings writes can be decoded");
  CHECK(again.value() == decoded.value(), "a verdict survives encoding and decoding");
  return 0;
}
