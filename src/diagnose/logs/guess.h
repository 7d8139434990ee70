// A guess at the kind of fault from nothing but the words of a log: a linear model, trained on labelled
// faults and on the samples of the catalogue by tools/train_guess. For text that no entry knows it is the
// answer, marked as a guess; for text that one knows it is a second opinion.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "diagnose/logs/line.h"
#include "model/leaf.h"

namespace lockstep::logs {

struct Guess {
  model::Leaf leaf = model::Leaf::kRunOther;
  double share = 0;  // of the model's belief, over all leaves
};

// What of each log is not looked at, by log, in the order of its lines.
using LeftOut = std::vector<std::vector<LineSpan>>;

// nullopt where the model knows none of the words, or is not one.
std::optional<Guess> guess_leaf(std::string_view model, std::span<const LogText> logs,
                                const LeftOut& left_out);

}  // namespace lockstep::logs
