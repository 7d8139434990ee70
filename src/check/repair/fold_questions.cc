// Two questions are alike when their answers cost the same, the same of them are ruled out by themselves, and
// the others stand only in the same groups, which conditions only ever forbid. Then both may take what the
// one of them has that is cheaper: no group is used that was not used before.
//
// An answer that at most one of them may give is given by none or, since they are alike, by the first: that
// one is asked for itself, and of the others the answer is ruled out.
#include "check/repair/fold_questions.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lockstep::repair {
namespace {

class Folding {
 public:
  explicit Folding(const ChoiceProblem& problem)
      : problem_(problem),
        is_ruled_out_(problem.variables(), false),
        is_entangled_(problem.variables(), false),
        groups_of_(problem.variables()),
        rivalries_of_(problem.variables()),
        literals_(problem.variables()),
        is_kept_(problem.variables(), true) {}

  Folded fold() {
    look_at_conditions();
    look_at_groups();
    ask_once();
    copy_groups();
    copy_conditions();
    return std::move(folded_);
  }

 private:
  using Numbers = std::vector<std::size_t>;
  // Of each answer whether it is ruled out, its groups and rivalries.
  using Ties = std::vector<std::tuple<bool, Numbers, Numbers>>;
  // With costs; the last is a number of its own where a question is like no other.
  using Likeness = std::tuple<std::vector<long>, Ties, std::size_t>;

  static bool rules_out_one(const Condition& condition) {
    return !condition.is_at_most_one && condition.literals.size() == 1 && !condition.literals[0].is_true;
  }

  void look_at_conditions() {
    for (const ChoiceProblem::Group& group : problem_.groups()) group_variables_.insert(group.variable);
    for (std::size_t at = 0; at < problem_.conditions().size(); ++at) {
      const Condition& condition = problem_.conditions()[at];
      for (const Literal& literal : condition.literals) {
        const bool is_group = group_variables_.contains(literal.variable);
        if (rules_out_one(condition)) {
          is_ruled_out_[literal.variable] = true;
        } else if (condition.is_at_most_one && literal.is_true && !is_group) {
          rivalries_of_[literal.variable].push_back(at);
        } else if (condition.is_at_most_one || literal.is_true || !is_group) {
          is_entangled_[literal.variable] = true;
        }
      }
    }
  }

  // The last first: a group may be a member of a later one.
  void look_at_groups() {
    for (std::size_t at = problem_.groups().size(); at-- > 0;) {
      const ChoiceProblem::Group& group = problem_.groups()[at];
      for (const Literal& member : group.members) {
        groups_of_[member.variable].push_back(at);
        const bool is_plain = member.is_true && !group_variables_.contains(member.variable);
        if (!is_plain || is_entangled_[group.variable]) is_entangled_[member.variable] = true;
      }
    }
  }

  Likeness likeness_of(std::size_t at) const {
    const ChoiceProblem::Question& question = problem_.questions()[at];
    Likeness likeness{question.costs, {}, 0};
    for (std::size_t i = 0; i < question.costs.size(); ++i) {
      const std::size_t variable = question.first_variable + i;
      if (is_entangled_[variable]) std::get<2>(likeness) = at + 1;
      std::get<1>(likeness).emplace_back(is_ruled_out_[variable], groups_of_[variable],
                                         rivalries_of_[variable]);
    }
    return likeness;
  }

  void ask_once() {
    std::map<Likeness, Numbers> alike;
    for (std::size_t at = 0; at < problem_.questions().size(); ++at) alike[likeness_of(at)].push_back(at);
    folded_.question_of.resize(problem_.questions().size());
    for (const auto& [likeness, members] : alike) {
      const auto rivals = static_cast<std::size_t>(std::ranges::count_if(
          std::get<1>(likeness), [](const auto& ties) { return !std::get<2>(ties).empty(); }));
      const std::size_t alone = std::min(rivals, members.size());
      for (std::size_t i = 0; i < alone; ++i) ask_for({members[i]});
      if (alone < members.size()) {
        const Numbers others(members.begin() + static_cast<std::ptrdiff_t>(alone), members.end());
        ask_for(others);
        give_up_rivalries(others);
      }
    }
  }

  void ask_for(const Numbers& members) {
    const auto& costs = problem_.questions()[members.front()].costs;
    const std::vector<Literal> answers = folded_.problem.ask(costs, members.size());
    for (const std::size_t member : members) {
      folded_.question_of[member] = folded_.problem.questions().size() - 1;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::size_t variable = problem_.questions()[member].first_variable + i;
        literals_[variable] = answers[i];
        is_kept_[variable] = member == members.front();
      }
    }
  }

  void give_up_rivalries(const Numbers& members) {
    for (const std::size_t member : members) {
      const ChoiceProblem::Question& question = problem_.questions()[member];
      for (std::size_t variable = question.first_variable;
           variable < question.first_variable + question.costs.size(); ++variable) {
        if (rivalries_of_[variable].empty()) continue;
        gave_up_.insert(variable);
        if (is_kept_[variable]) folded_.problem.require({!literals_[variable]}, "at most one of those alike");
      }
    }
  }

  Literal translated(const Literal& literal) const {
    const Literal& made = literals_[literal.variable];
    return literal.is_true ? made : !made;
  }

  void copy_groups() {
    for (const ChoiceProblem::Group& group : problem_.groups()) {
      std::vector<Literal> members;
      for (const Literal& member : group.members)
        if (is_kept_[member.variable]) members.push_back(translated(member));
      literals_[group.variable] = folded_.problem.any_of(members);
    }
  }

  void copy_conditions() {
    for (const Condition& condition : problem_.conditions()) {
      if (rules_out_one(condition) && !is_kept_[condition.literals[0].variable]) continue;
      std::vector<Literal> literals;
      for (const Literal& literal : condition.literals)
        if (!condition.is_at_most_one || !gave_up_.contains(literal.variable))
          literals.push_back(translated(literal));
      if (condition.is_at_most_one) {
        if (literals.size() < 2) continue;
        folded_.problem.at_most_one(std::move(literals), condition.why);
      } else {
        folded_.problem.require(std::move(literals), condition.why);
      }
    }
  }

  const ChoiceProblem& problem_;
  std::set<std::size_t> group_variables_;
  std::set<std::size_t> gave_up_;   // variables that another stands for in what at most one may be
  std::vector<bool> is_ruled_out_;  // by variable, as all that follow
  std::vector<bool> is_entangled_;  // a condition speaks of it in particular
  std::vector<Numbers> groups_of_;
  std::vector<Numbers> rivalries_of_;  // conditions that at most one may be
  std::vector<Literal> literals_;      // in the folded problem
  std::vector<bool> is_kept_;          // it is one of a question that stands for others
  Folded folded_;
};

}  // namespace

std::vector<std::size_t> Folded::unfolded(const std::vector<std::size_t>& answers) const {
  std::vector<std::size_t> all;
  for (const std::size_t question : question_of) all.push_back(answers[question]);
  return all;
}

Folded fold_questions(const ChoiceProblem& problem) {
  return Folding(problem).fold();
}

}  // namespace lockstep::repair
