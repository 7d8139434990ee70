#include "diagnose/logs/wordless.h"

#include <string>

#include "diagnose/logs/finding_text.h"
#include "model/finding_code.h"

namespace lockstep::logs {
namespace {

model::Finding finding_about(const Symptom& symptom, const Sighting& sighting,
                             std::span<const LogText> logs) {
  Candidate candidate;
  candidate.symptom = &symptom;
  candidate.leaf = symptom.leaf;
  candidate.lead = &sighting;
  candidate.sightings = {&sighting};
  return finding_from(candidate, logs, {}, 0);
}

}  // namespace

model::Finding silent_finding(const Catalogue& catalogue, std::span<const LogText> logs,
                              const SilentSign& sign) {
  Sighting sighting;
  sighting.symptom = &catalogue.at(sign.code);
  sighting.log = sign.log;
  sighting.line = sign.line;
  sighting.rank = logs[sign.log].rank;
  model::Finding finding = finding_about(*sighting.symptom, sighting, logs);
  finding.root_ranks.clear();
  if (sign.root_rank) finding.root_ranks.push_back(*sign.root_rank);
  finding.evidence.front().level = model::EvidenceLevel::kAbsence;
  return finding;
}

const Symptom& leaf_entry(const Catalogue& catalogue, model::Leaf leaf) {
  return catalogue.at(model::guess_at(leaf));
}

model::Finding guessed_finding(const Catalogue& catalogue, std::span<const LogText> logs,
                               const Guess& guess) {
  Sighting nowhere;
  nowhere.symptom = &leaf_entry(catalogue, guess.leaf);
  model::Finding finding = finding_about(*nowhere.symptom, nowhere, logs);
  finding.evidence.clear();
  finding.title = "A guess: " + finding.title;
  finding.explanation =
      "No entry of the catalogue knows these lines; their words resemble this kind of fault. " +
      finding.explanation;
  return finding;
}

}  // namespace lockstep::logs
