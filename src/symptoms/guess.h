// A guess for text that no entry of the catalogue knows: a linear model over words, trained on labelled
// faults by tools/train_guess and embedded as data. Always marked as a guess, never sure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/leaf.h"
#include "symptoms/log_text.h"

namespace lockstep::symptoms {

struct Guess {
  model::Leaf leaf = model::Leaf::kRunOther;
  double confidence = 0;
};

// nullopt where nothing in the text sounds like a failure: silence is the answer for healthy logs.
std::optional<Guess> guess_leaf(std::span<const LogText> logs);

}  // namespace lockstep::symptoms
