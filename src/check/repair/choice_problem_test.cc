#include "check/repair/choice_problem.h"

#include <algorithm>
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

TEST(ChoiceProblem, AsksOnceWhatNothingTellsApart) {
  ChoiceProblem problem;
  std::vector<Literal> split[2];
  std::vector<Literal> joined;
  std::vector<Literal> as_it_is;
  for (int host = 0; host < 1000; ++host) {
    const auto answers = problem.ask({0, 1, 1});
    as_it_is.push_back(answers[0]);
    split[host % 2].push_back(answers[1]);
    joined.push_back(answers[2]);
  }
  const Literal used[] = {problem.any_of(split[0]), problem.any_of(split[1]), problem.any_of(joined)};
  for (int i = 0; i < 3; ++i)
    for (int k = i + 1; k < 3; ++k) problem.require({!used[i], !used[k]}, "they do not reach each other");
  problem.at_most_one(as_it_is, "nor do they as it is");
  problem.require({!used[2], !problem.any_of(as_it_is)}, "nor others");
  EXPECT_EQ(fold_questions(problem).problem.questions().size(), 4U);
  EXPECT_THAT(solve(problem).answers, testing::AllOf(testing::SizeIs(1000), testing::Each(2U)));
}

// The twin: every combination is tried.
RC_GTEST_PROP(ChoiceProblem, CostsNoMoreThanTheBestOfAllCombinations, ()) {
  ChoiceProblem problem;
  std::vector<std::vector<Literal>> literals;
  const int questions = *rc::gen::inRange(1, 5);
  for (int i = 0; i < questions; ++i) {
    const auto costs = *rc::gen::container<std::vector<long>>(3, rc::gen::inRange<long>(0, 20));
    const bool is_like_the_last = i > 0 && *rc::gen::arbitrary<bool>();
    const std::vector<long> own = is_like_the_last ? problem.questions().back().costs : costs;
    literals.push_back(problem.ask(own));
  }
  std::vector<Literal> used;
  for (int k = 0; k < 3; ++k) {
    std::vector<Literal> group;
    for (const auto& answers : literals) group.push_back(answers[k]);
    used.push_back(problem.any_of(group));
  }
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<Literal> rivals;
    for (const auto& answers : literals) rivals.push_back(answers[0]);
    problem.at_most_one(rivals, "rivals");
  }
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    const int one = *rc::gen::inRange(0, 3);
    const int other = *rc::gen::inRange(0, 3);
    problem.require({!used[one], !used[other]}, "groups");
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
  const auto is_true = [&](std::size_t variable) {
    if (variable < answers.size() * 3) return answers[variable / 3] == variable % 3;
    return std::ranges::find(answers, variable - answers.size() * 3) != answers.end();
  };
  const auto holds = [&] {
    for (const Condition& condition : problem.conditions()) {
      const auto met = std::ranges::count_if(condition.literals, [&](const Literal& literal) {
        return is_true(literal.variable) == literal.is_true;
      });
      if (condition.is_at_most_one ? met > 1 : met == 0) return false;
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
