#include "symptoms/judge.h"

#include <algorithm>
#include <cctype>

#include "symptoms/candidate.h"
#include "symptoms/context.h"
#include "symptoms/finding_text.h"
#include "symptoms/guess.h"
#include "symptoms/silent.h"

namespace lockstep::symptoms {
namespace {

constexpr std::size_t kMostFindings = 4;

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

// Set by hand, not fitted; tests/corpus/cross_validate prints how often answers of each are right.
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

bool has_origin(std::span<const Candidate> candidates) {
  return !candidates.empty() && candidates.front().role == Role::kOrigin;
}

// A finding of an entry that has no words of its own: what the log leaves out shows it.
model::Finding finding_without_words(const Symptom& symptom, const Sighting& sighting,
                                     std::span<const LogText> logs, const std::set<int>& speaking,
                                     double confidence) {
  Candidate candidate;
  candidate.symptom = &symptom;
  candidate.strength = Strength::kHint;
  candidate.leaf = symptom.leaf;
  candidate.lead = &sighting;
  candidate.sightings = {&sighting};
  return finding_from(candidate, logs, speaking, confidence);
}

constexpr double kSilentConfidence = 0.4;

std::optional<model::Finding> silent_finding(const Catalogue& catalogue, std::span<const LogText> logs,
                                             const Context& context, const std::set<int>& speaking) {
  const std::optional<SilentSign> sign = silent_sign(logs, context);
  if (!sign) return std::nullopt;
  Sighting sighting;
  sighting.symptom = &catalogue.at(sign->code);
  sighting.log = sign->log;
  sighting.line = sign->line;
  sighting.rank = logs[sign->log].rank;
  model::Finding finding =
      finding_without_words(*sighting.symptom, sighting, logs, speaking, kSilentConfidence);
  finding.root_ranks.clear();
  finding.victim_ranks.clear();
  finding.evidence.front().level = model::EvidenceLevel::kAbsence;
  return finding;
}

std::optional<model::Finding> guessed_finding(const Catalogue& catalogue, std::span<const LogText> logs) {
  const std::optional<Guess> guess = guess_leaf(logs);
  if (!guess) return std::nullopt;
  std::string code = "leaf.";
  for (const char c : model::entry_of(guess->leaf).id)
    code += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  Sighting nowhere;
  nowhere.symptom = &catalogue.at(code);
  model::Finding finding = finding_without_words(*nowhere.symptom, nowhere, logs, {}, guess->confidence);
  finding.evidence.clear();
  finding.title = "A guess: " + finding.title;
  finding.explanation =
      "No entry of the catalogue knows these lines; their words resemble this kind of fault. " +
      finding.explanation;
  return finding;
}

// The entry that knows only that an exception was raised; the words of the log say more about its kind.
constexpr std::string_view kCatchAll = "other.exception";

void sharpen_catch_all(const Catalogue& catalogue, std::span<const LogText> logs,
                       std::vector<model::Finding>& findings) {
  if (findings.empty() || findings.front().code != kCatchAll) return;
  std::optional<model::Finding> guessed = guessed_finding(catalogue, logs);
  if (!guessed) return;
  guessed->evidence = std::move(findings.front().evidence);
  guessed->root_ranks = std::move(findings.front().root_ranks);
  guessed->victim_ranks = std::move(findings.front().victim_ranks);
  findings.front() = *std::move(guessed);
}

std::vector<std::string> what_to_collect(std::span<const model::Finding> findings) {
  constexpr double kClear = 0.5;
  if (!findings.empty() && findings.front().confidence >= kClear) return {};
  return {"torchrun --log-dir logs --redirects 3 --tee 3 ...   # the log of every rank, not of one",
          "TORCH_DISTRIBUTED_DEBUG=DETAIL NCCL_DEBUG=INFO TORCH_NCCL_TRACE_BUFFER_SIZE=2000 "
          "TORCH_NCCL_DUMP_ON_TIMEOUT=1",
          "dmesg -T > dmesg.txt   # on the node that failed first",
          "lockstep run -- CMD   # record the next attempt"};
}

}  // namespace

LogVerdict judge(const Catalogue& catalogue, std::span<const LogText> logs) {
  const std::vector<Scan> scans = scan_logs(catalogue, logs);
  const Context context(catalogue, logs, scans);
  const std::vector<Sighting> sightings = sightings_in(catalogue, logs, scans, context);
  const std::set<int> speaking = speaking_ranks(logs, sightings);
  const std::vector<Candidate> candidates = candidates_from(sightings);
  LogVerdict verdict;
  verdict.job.ranks_seen.assign(speaking.begin(), speaking.end());
  if (!has_origin(candidates)) {
    if (auto finding = silent_finding(catalogue, logs, context, speaking))
      verdict.findings.push_back(*std::move(finding));
  }
  if (verdict.findings.empty()) verdict.findings = findings_from(candidates, logs, speaking);
  if (verdict.findings.empty()) {
    if (auto finding = guessed_finding(catalogue, logs)) verdict.findings.push_back(*std::move(finding));
  }
  sharpen_catch_all(catalogue, logs, verdict.findings);
  verdict.collect_next = what_to_collect(verdict.findings);
  return verdict;
}

}  // namespace lockstep::symptoms
