// A choice of one answer to each question, under conditions that must hold, at the smallest cost.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::repair {

// "This answer is given to that question", "one of these answers is given", or the opposite of either.
struct Literal {
  std::size_t variable = 0;
  bool is_true = true;

  Literal operator!() const { return {variable, !is_true}; }
  bool operator==(const Literal&) const = default;
};

struct Condition {
  std::vector<Literal> literals;
  bool is_at_most_one = false;  // otherwise one of them at least
  std::string why;              // in words; conditions of the same words are one for the reader
};

class ChoiceProblem {
 public:
  // Exactly one of the answers is given; a cost for each. Gives the literals of the answers. `count`: it
  // stands for so many questions of the same answer.
  std::vector<Literal> ask(const std::vector<long>& costs, std::size_t count = 1);
  // A literal that is true where one of these is.
  Literal any_of(const std::vector<Literal>& literals);

  void require(std::vector<Literal> one_of, std::string why);
  void at_most_one(std::vector<Literal> literals, std::string why);

  struct Question {
    std::size_t first_variable = 0;
    std::vector<long> costs;
    std::size_t count = 1;
  };
  struct Group {
    std::size_t variable = 0;
    std::vector<Literal> members;
  };
  const std::vector<Question>& questions() const { return questions_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  std::size_t variables() const { return variables_; }

 private:
  std::size_t variables_ = 0;
  std::vector<Question> questions_;
  std::vector<Group> groups_;
  std::vector<Condition> conditions_;
};

// Questions that no condition tells apart, made one: hosts that are alike get the same answer, and the solver
// has a few questions instead of thousands.
struct Folded {
  ChoiceProblem problem;
  std::vector<std::size_t> question_of;  // by question of the whole problem: the one that stands for it

  std::vector<std::size_t> unfolded(const std::vector<std::size_t>& answers) const;
};

// Its cheapest answers, unfolded, are cheapest answers of the whole problem; it has none where that has none.
Folded fold_questions(const ChoiceProblem& problem);

struct Solution {
  std::vector<std::size_t> answers;     // by question; empty when there is none
  std::vector<std::string> in_the_way;  // then: conditions that cannot hold together
};

// By MaxSMT.
Solution solve(const ChoiceProblem& problem);

}  // namespace lockstep::repair
