#include "check/repair/choice_problem.h"

namespace lockstep::repair {

std::vector<Literal> ChoiceProblem::ask(const std::vector<long>& costs, std::size_t count) {
  questions_.push_back({variables_, costs, count});
  std::vector<Literal> answers;
  for (std::size_t i = 0; i < costs.size(); ++i) answers.push_back({variables_++, true});
  return answers;
}

Literal ChoiceProblem::any_of(const std::vector<Literal>& literals) {
  if (literals.size() == 1) return literals.front();
  groups_.push_back({variables_, literals});
  return {variables_++, true};
}

void ChoiceProblem::require(std::vector<Literal> one_of, std::string why) {
  conditions_.push_back({std::move(one_of), false, std::move(why)});
}

void ChoiceProblem::at_most_one(std::vector<Literal> literals, std::string why) {
  conditions_.push_back({std::move(literals), true, std::move(why)});
}

}  // namespace lockstep::repair
