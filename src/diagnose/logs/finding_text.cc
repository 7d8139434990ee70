#include "diagnose/logs/finding_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "catalogue/wording.h"
#include "diagnose/logs/first_step.h"
#include "diagnose/logs/scope.h"

namespace lockstep::logs {
namespace {

using catalogue::Printer;
using catalogue::Role;
using catalogue::worded;

constexpr std::size_t kMostEvidence = 6;
constexpr std::size_t kLongestEvidence = 600;

model::Evidence evidence_from(const Sighting& sighting, std::span<const LogText> logs) {
  const LogText& log = logs[sighting.log];
  const std::size_t length = std::min(sighting.line.end - sighting.line.begin, kLongestEvidence);
  return {.file = log.name,
          .line = log.line_marks.line_at(log.bytes, sighting.line.begin),
          .rank = sighting.rank,
          .text = std::string(log.bytes.substr(sighting.line.begin, length)),
          .level = model::EvidenceLevel::kSeen};
}

// The first line of each rank, then more of the same up to the limit.
std::vector<model::Evidence> evidence_of(const Candidate& candidate, std::span<const LogText> logs) {
  std::vector<const Sighting*> chosen;
  std::set<std::optional<int>> shown;
  for (const Sighting* sighting : candidate.sightings) {
    if (chosen.size() < kMostEvidence && shown.insert(sighting->rank).second) chosen.push_back(sighting);
  }
  std::vector<model::Evidence> evidence;
  for (const Sighting* sighting : chosen) evidence.push_back(evidence_from(*sighting, logs));
  return evidence;
}

// "0, 1, 4" or "3" as numbers.
std::set<int> ranks_in(std::string_view list) {
  std::set<int> ranks;
  while (!list.empty()) {
    int rank = 0;
    const auto [end, fault] = std::from_chars(list.data(), list.data() + list.size(), rank);
    if (fault == std::errc()) ranks.insert(rank);
    const auto read = static_cast<std::size_t>(end - list.data());
    list.remove_prefix(std::max<std::size_t>(read, 1));
  }
  return ranks;
}

std::set<int> named_ranks(const Candidate& candidate) {
  std::set<int> named;
  for (const Sighting* sighting : candidate.sightings) {
    const auto captured = sighting->captures.find("rank");
    if (captured != sighting->captures.end()) named.merge(ranks_in(captured->second));
  }
  return named;
}

// Ranks that waited in vain print it. Where all but one did, that one is whom they waited for; where fewer
// did, the launcher may have ended the rest before they could.
std::set<int> whom_all_others_waited_for(const Candidate& candidate, const std::set<int>& speaking) {
  std::set<int> quiet;
  std::ranges::set_difference(speaking, candidate.ranks, std::inserter(quiet, quiet.end()));
  return quiet.size() == 1 ? quiet : std::set<int>();
}

std::set<int> root_ranks_of(const Candidate& candidate, std::span<const LogText> logs,
                            const std::set<int>& speaking) {
  std::set<int> named = named_ranks(candidate);
  const Printer printer = candidate.symptom->printer;
  if (printer == Printer::kEither) return speaking.size() > 2 ? named : std::set<int>();
  if (named.empty() && printer == Printer::kVictim) return whom_all_others_waited_for(candidate, speaking);
  if (!named.empty() || printer == Printer::kVictim || candidate.role != Role::kOrigin) return named;
  const bool everybody = candidate.ranks.size() == speaking.size() && speaking.size() > 1;
  return everybody ? first_by_step(candidate, logs) : candidate.ranks;
}

std::string explanation_of(const Candidate& candidate, const std::string& scope_reason) {
  std::string text = worded(candidate.symptom->meaning, candidate.lead->captures);
  if (!candidate.symptom->causes.empty())
    text += fmt::format(" Usual causes: {}.", fmt::join(candidate.symptom->causes, "; "));
  return text + " " + scope_reason;
}

}  // namespace

model::Finding finding_from(const Candidate& candidate, std::span<const LogText> logs,
                            const std::set<int>& speaking, double confidence) {
  const bool has_title = candidate.variant != nullptr && !candidate.variant->title.empty();
  const bool has_fixes = candidate.variant != nullptr && !candidate.variant->fixes.empty();
  const std::set<int> roots = root_ranks_of(candidate, logs, speaking);
  const ScopeJudgement scope = judge_scope(candidate, roots, speaking);
  std::vector<int> victims;
  if (!roots.empty()) std::ranges::set_difference(speaking, roots, std::back_inserter(victims));
  return {.leaf = candidate.leaf,
          .code = candidate.symptom->code,
          .scope = scope.scope,
          .confidence = confidence,
          .root_ranks = {roots.begin(), roots.end()},
          .victim_ranks = std::move(victims),
          .title = worded(has_title ? candidate.variant->title : candidate.symptom->title,
                          candidate.lead->captures),
          .explanation = explanation_of(candidate, scope.reason),
          .evidence = evidence_of(candidate, logs),
          .fixes = has_fixes ? candidate.variant->fixes : candidate.symptom->fixes};
}

}  // namespace lockstep::logs
