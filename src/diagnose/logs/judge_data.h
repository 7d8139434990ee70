// What the judge weighs with besides the catalogue: models made from labelled faults by tools/train_guess and
// tests/corpus/fit_confidence, and embedded as JSON.
#pragma once

#include <string_view>

namespace lockstep::logs {

struct JudgeData {
  std::string_view guess;
  std::string_view confidence;
};

JudgeData embedded_judge_data();

}  // namespace lockstep::logs
