// Findings that no words of the catalogue give: what progress lines show, and what the words of a log
// resemble.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/guess.h"
#include "diagnose/logs/log_text.h"
#include "diagnose/logs/silent.h"
#include "model/finding.h"

namespace lockstep::logs {

model::Finding silent_finding(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                              const SilentSign& sign);

// The entry that describes the leaf.
const catalogue::Symptom& leaf_entry(const catalogue::Catalogue& catalogue, model::Leaf leaf);

// Marked as a guess.
model::Finding guessed_finding(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                               const Guess& guess);

}  // namespace lockstep::logs
