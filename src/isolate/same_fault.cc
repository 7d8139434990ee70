#include "isolate/same_fault.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text_fields.h"
#include "model/line_origin.h"

namespace lockstep::isolate {
namespace {

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}
bool is_hex(char letter) {
  return std::isxdigit(static_cast<unsigned char>(letter)) != 0;
}

bool tells_little(const model::FindingCode& code) {
  return code.is(model::CodeFamily::kProcess) || code.is(model::CodeFamily::kGuess) || code.empty();
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
  line = base::trimmed(model::split_origin(base::trimmed(line)).text);
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
