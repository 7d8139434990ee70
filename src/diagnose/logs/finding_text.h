// A candidate as the finding that people and programs read.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/candidate.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/silent.h"
#include "diagnose/logs/traceback.h"
#include "model/finding.h"

namespace lockstep::logs {

// Findings that no words of the catalogue give: what progress lines show, and what the words of a log
// resemble.

model::Finding silent_finding(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                              const SilentSign& sign);

// The entry that describes the leaf.
const catalogue::Symptom& leaf_entry(const catalogue::Catalogue& catalogue, model::Leaf leaf);

// Marked as a guess. `is_known_as_another`: an entry knows the lines that are shown, as another kind of
// fault.
model::Finding guessed_finding(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                               model::Leaf leaf, std::optional<model::Scope> likely_scope = {},
                               bool is_known_as_another = false);

// `likely_scope` counts more than the catalogue's, and less than who printed what.
model::Finding finding_from(const Candidate& candidate, std::span<const LogText> logs,
                            const std::set<int>& speaking, double confidence,
                            std::optional<model::Scope> likely_scope = {});

// The lines of the user's code at which the exceptions were raised that the candidate's lines tell of.
std::vector<model::CodePlace> places_of(const Candidate& candidate, std::span<const RaisedException> raised);

}  // namespace lockstep::logs
