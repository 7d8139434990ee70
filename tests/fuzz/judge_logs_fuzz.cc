// Any bytes as the logs of a job: the judge must answer, and what it cites must lie in the input.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "diagnose/logs/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep::logs;
  static const lockstep::catalogue::Catalogue catalogue = lockstep::catalogue::Catalogue::load().value();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  const LogText logs[] = {{"a.log", bytes.substr(0, half), std::nullopt}, {"b.log", bytes.substr(half), 1}};
  for (const auto& finding : judge(catalogue, logs).findings) {
    for (const auto& evidence : finding.evidence)
      CHECK(bytes.find(evidence.text) != std::string_view::npos, "evidence is a piece of the input");
  }
  return 0;
}
