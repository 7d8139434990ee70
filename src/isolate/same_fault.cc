#include "isolate/same_fault.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text_fields.h"

namespace lockstep::isolate {
namespace {

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}
bool is_hex(char letter) {
  return std::isxdigit(static_cast<unsigned char>(letter)) != 0;
}

// "[rank0]:", "[default0]:", "[1,0]<stderr>:", "0: ", and a time in brackets before any of them.
std::string_view without_prefix(std::string_view line) {
  line = base::trimmed(line);
  if (line.starts_with('[')) {
    const std::size_t close = line.find(']');
    const std::size_t colon = close == std::string_view::npos ? close : line.find(':', close);
    const bool is_short = colon != std::string_view::npos && colon < 40;
    const std::string_view between = is_short ? line.substr(close + 1, colon - close - 1) : "";
    const bool is_prefix = is_short && (between.empty() || between == "<stderr>" || between == "<stdout>");
    if (is_prefix) return base::trimmed(line.substr(colon + 1));
  }
  const std::size_t colon = line.find(": ");
  const bool is_task = colon != std::string_view::npos && colon > 0 && colon <= 6 &&
                       std::ranges::all_of(line.substr(0, colon), is_digit);
  return is_task ? base::trimmed(line.substr(colon + 2)) : line;
}

bool tells_little(std::string_view code) {
  return code.starts_with("process.") || code.starts_with("guess") || code.empty();
}

std::set<std::string> essences_of(const model::Finding& finding) {
  constexpr std::size_t kShortest = 12;  // "Traceback" or "Error" alone are in every log
  std::set<std::string> all;
  for (const model::Evidence& evidence : finding.evidence) {
    if (evidence.level != model::EvidenceLevel::kSeen) continue;
    std::string essence = essence_of(evidence.text);
    if (essence.size() >= kShortest) all.insert(std::move(essence));
  }
  return all;
}

}  // namespace

std::string essence_of(std::string_view line) {
  std::string essence;
  line = without_prefix(line);
  for (std::size_t at = 0; at < line.size();) {
    const bool is_address = line.substr(at).starts_with("0x");
    if (!is_address && !is_digit(line[at])) {
      essence += line[at++];
      continue;
    }
    if (is_address) at += 2;
    while (at < line.size() && (is_address ? is_hex(line[at]) : is_digit(line[at]))) ++at;
    essence += '#';
  }
  return essence;
}

bool is_same_fault(const model::Finding& one, const model::Finding& other) {
  if (one.code == other.code && !tells_little(one.code)) return true;
  const std::set<std::string> lines = essences_of(one);
  return std::ranges::any_of(essences_of(other),
                             [&](const std::string& line) { return lines.contains(line); });
}

}  // namespace lockstep::isolate
