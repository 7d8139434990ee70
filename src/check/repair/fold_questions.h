// Questions that no condition tells apart, made one: hosts that are alike get the same answer, and the solver
// has a few questions instead of thousands.
#pragma once

#include <vector>

#include "check/repair/choice_problem.h"

namespace lockstep::repair {

struct Folded {
  ChoiceProblem problem;
  std::vector<std::size_t> question_of;  // by question of the whole problem: the one that stands for it

  std::vector<std::size_t> unfolded(const std::vector<std::size_t>& answers) const;
};

// Its cheapest answers, unfolded, are cheapest answers of the whole problem; it has none where that has none.
Folded fold_questions(const ChoiceProblem& problem);

}  // namespace lockstep::repair
