// How often answers on such grounds are right: a logistic model over named grounds, fitted to labelled faults
// by tests/corpus/fit_confidence.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/logs/candidate.h"
#include "diagnose/logs/guess.h"

namespace lockstep::logs {

// What the judge weighs with besides the catalogue: models made from labelled faults by tools/train_guess and
// tests/corpus/fit_confidence, and embedded as JSON.
struct JudgeData {
  std::string_view guess;
  std::string_view confidence;
};

JudgeData embedded_judge_data();

// What speaks for and against an answer, by the names that the fitted model knows: "strong", "disputed" ...
using Grounds = std::vector<std::string>;

// For the first of the candidates, which stand in the order of their likelihood.
Grounds grounds_of(std::span<const Candidate> candidates, const std::optional<Guess>& guess);
// For an answer that no candidate gives: "silent" or "guess".
Grounds grounds_without_candidate(std::string_view kind, model::Leaf leaf, const std::optional<Guess>& guess);

// Between 0 and 1; grounds that the model does not know count for nothing.
double confidence_from(std::string_view model, const Grounds& grounds);

}  // namespace lockstep::logs
