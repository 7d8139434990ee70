#include "repair/choice_problem.h"

#include <functional>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace lockstep::repair {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(ChoiceProblem, TakesTheCheapestAnswersThatHold) {
  ChoiceProblem problem;
  const auto first = problem.ask({0, 5, 3});
  const auto second = problem.ask({0, 1});
  problem.require({!first[0], second[1]}, "either");
  problem.require({!first[0]}, "not as it is");
  EXPECT_THAT(solve(problem).answers, ElementsAre(2, 0));
}

TEST(ChoiceProblem, NamesOnlyWhatContradicts) {
  ChoiceProblem problem;
  const auto answers = problem.ask({0, 1});
  const auto others = problem.ask({0, 1});
  problem.require({!answers[0]}, "the name is loopback");
  problem.require({!answers[1]}, "there is no route");
  problem.require({!others[0]}, "of no importance");
  EXPECT_THAT(solve(problem).in_the_way, UnorderedElementsAre("the name is loopback", "there is no route"));
}

TEST(ChoiceProblem, AtMostOneAndGroups) {
  ChoiceProblem problem;
  const auto a = problem.ask({0, 1});
  const auto b = problem.ask({0, 1});
  const auto c = problem.ask({0, 9});
  problem.at_most_one({a[0], b[0]}, "one may stay");
  problem.require({!problem.any_of({a[1], b[1]}), c[1]}, "who changes pays");
  const Solution solution = solve(problem);
  EXPECT_EQ(solution.answers[0] + solution.answers[1], 1U);
  EXPECT_EQ(solution.answers[2], 1U);
}

// The twin: every combination is tried.
RC_GTEST_PROP(ChoiceProblem, CostsNoMoreThanTheBestOfAllCombinations, ()) {
  ChoiceProblem problem;
  std::vector<std::vector<Literal>> literals;
  const int questions = *rc::gen::inRange(1, 5);
  for (int i = 0; i < questions; ++i) {
    const auto costs = *rc::gen::container<std::vector<long>>(3, rc::gen::inRange<long>(0, 20));
    literals.push_back(problem.ask(costs));
  }
  const int conditions = *rc::gen::inRange(0, 8);
  for (int i = 0; i < conditions; ++i) {
    std::vector<Literal> clause;
    for (int k = *rc::gen::inRange(1, 4); k > 0; --k) {
      Literal literal = literals[*rc::gen::inRange<std::size_t>(0, literals.size())][*rc::gen::inRange(0, 3)];
      literal.is_true = *rc::gen::arbitrary<bool>();
      clause.push_back(literal);
    }
    problem.require(clause, "condition " + std::to_string(i));
  }
  long best = -1;
  std::vector<std::size_t> answers(literals.size(), 0);
  const auto cost_of = [&](const std::vector<std::size_t>& chosen) {
    long cost = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) cost += problem.questions()[i].costs[chosen[i]];
    return cost;
  };
  const auto holds = [&] {
    for (const Condition& condition : problem.conditions()) {
      bool is_met = false;
      for (const Literal& literal : condition.literals) {
        const bool is_chosen = answers[literal.variable / 3] == literal.variable % 3;
        is_met = is_met || is_chosen == literal.is_true;
      }
      if (!is_met) return false;
    }
    return true;
  };
  const std::function<void(std::size_t)> walk = [&](std::size_t at) {
    if (at == answers.size()) {
      if (holds() && (best < 0 || cost_of(answers) < best)) best = cost_of(answers);
      return;
    }
    for (answers[at] = 0; answers[at] < 3; ++answers[at]) walk(at + 1);
    answers[at] = 0;
  };
  walk(0);
  const Solution solution = solve(problem);
  RC_ASSERT(solution.answers.empty() == (best < 0));
  if (best >= 0) RC_ASSERT(cost_of(solution.answers) == best);
}

}  // namespace
}  // namespace lockstep::repair
