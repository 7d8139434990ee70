#include "report/live_findings.h"

#include <utility>

#include "base/file.h"
#include "report/findings_json.h"

namespace lockstep::report {
namespace {

// Hidden from those who read logs.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr const char* kFileName = ".seen_live.json";

}  // namespace

Result<void> keep_live_findings(const std::filesystem::path& recording,
                                std::vector<model::Finding> findings) {
  model::Verdict verdict;
  verdict.findings = std::move(findings);
  return base::write_file(recording / kFileName, encode_findings(verdict));
}

std::vector<model::Finding> live_findings_in(const std::vector<std::filesystem::path>& paths) {
  std::vector<model::Finding> findings;
  for (const std::filesystem::path& path : paths) {
    auto text = base::read_file(path / kFileName, kMostBytes);
    if (!text.ok()) continue;
    auto verdict = decode_findings(text.value(), kFileName);
    if (!verdict.ok()) continue;
    for (model::Finding& finding : verdict.value().findings) findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace lockstep::report
