#include "symptoms/judge.h"

#include <algorithm>

#include "symptoms/candidate.h"
#include "symptoms/context.h"
#include "symptoms/finding_text.h"

namespace lockstep::symptoms {
namespace {

constexpr std::size_t kMostFindings = 4;

std::vector<Scan> scan_all(const Catalogue& catalogue, std::span<const LogText> logs) {
  std::vector<Scan> scans;
  scans.reserve(logs.size());
  for (const LogText& log : logs) scans.push_back(scan_log(catalogue, log));
  return scans;
}

std::set<int> speaking_ranks(std::span<const LogText> logs, std::span<const Sighting> sightings) {
  std::set<int> ranks;
  for (const LogText& log : logs) {
    if (log.rank) ranks.insert(*log.rank);
  }
  for (const Sighting& sighting : sightings) {
    if (sighting.rank) ranks.insert(*sighting.rank);
  }
  return ranks;
}

// Measured on the development corpus; tests/corpus prints how often each is right.
double usual_confidence(const Candidate& candidate) {
  if (candidate.role != Role::kOrigin) return 0.4;
  switch (candidate.strength) {
    case Strength::kDecisive:
      return 0.95;
    case Strength::kStrong:
      return 0.85;
    case Strength::kWeak:
      return 0.6;
    case Strength::kHint:
      return 0.45;
  }
  return 0;
}

// Another origin as strong as the first, of another leaf, is a reason to doubt.
bool is_disputed(std::span<const Candidate> candidates) {
  const Candidate& first = candidates.front();
  return std::ranges::any_of(candidates.subspan(1), [&](const Candidate& other) {
    return other.role == first.role && other.strength == first.strength && other.leaf != first.leaf;
  });
}

std::vector<model::Finding> findings_from(std::span<const Candidate> candidates,
                                          std::span<const LogText> logs, const std::set<int>& speaking) {
  std::vector<model::Finding> findings;
  if (candidates.empty()) return findings;
  double ceiling = usual_confidence(candidates.front()) * (is_disputed(candidates) ? 0.8 : 1.0);
  for (const Candidate& candidate : candidates) {
    if (findings.size() == kMostFindings) break;
    if (!findings.empty() && candidate.role != Role::kOrigin) break;
    const double confidence = std::min(ceiling, usual_confidence(candidate));
    findings.push_back(finding_from(candidate, logs, speaking, confidence));
    ceiling = confidence / 2;
  }
  return findings;
}

}  // namespace

LogVerdict judge(const Catalogue& catalogue, std::span<const LogText> logs) {
  const std::vector<Scan> scans = scan_all(catalogue, logs);
  const Context context(catalogue, logs, scans);
  const std::vector<Sighting> sightings = sightings_in(catalogue, logs, scans, context);
  const std::set<int> speaking = speaking_ranks(logs, sightings);
  const std::vector<Candidate> candidates = candidates_from(sightings);
  LogVerdict verdict;
  verdict.job.ranks_seen.assign(speaking.begin(), speaking.end());
  verdict.findings = findings_from(candidates, logs, speaking);
  return verdict;
}

}  // namespace lockstep::symptoms
