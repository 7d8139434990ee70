// Findings that no words of the catalogue give: what progress lines show, and what the words of a log
// resemble.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/finding.h"
#include "symptoms/catalogue.h"
#include "symptoms/guess.h"
#include "symptoms/log_text.h"
#include "symptoms/silent.h"

namespace lockstep::symptoms {

model::Finding silent_finding(const Catalogue& catalogue, std::span<const LogText> logs,
                              const SilentSign& sign);

// The entry that describes the leaf.
const Symptom& leaf_entry(const Catalogue& catalogue, model::Leaf leaf);

// Marked as a guess.
model::Finding guessed_finding(const Catalogue& catalogue, std::span<const LogText> logs, const Guess& guess);

}  // namespace lockstep::symptoms
