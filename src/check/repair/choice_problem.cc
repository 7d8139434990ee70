#include "check/repair/choice_problem.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <z3++.h>

#include "check/repair/solver_library.h"

namespace lockstep::repair {
namespace {

// Two questions are alike when their answers cost the same, the same of them are ruled out by themselves, and
// the others stand only in the same groups, which conditions only ever forbid. Then both may take what the
// one of them has that is cheaper: no group is used that was not used before.
//
// An answer that at most one of them may give is given by none or, since they are alike, by the first: that
// one is asked for itself, and of the others the answer is ruled out.
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

// The problem in Z3's words.
class Translation {
 public:
  explicit Translation(const ChoiceProblem& problem) : problem_(problem), booleans_(context_) {
    for (std::size_t i = 0; i < problem.variables(); ++i)
      booleans_.push_back(context_.bool_const(("v" + std::to_string(i)).c_str()));
  }

  std::optional<std::vector<std::size_t>> cheapest() {
    z3::optimize optimize(context_);
    add_shape(optimize);
    for (const Condition& condition : problem_.conditions()) optimize.add(formula(condition));
    const std::vector<bool> out = ruled_out();
    for (const auto& question : problem_.questions()) add_wishes(question, out, optimize);
    if (optimize.check() != z3::sat) return std::nullopt;
    const z3::model model = optimize.get_model();
    std::vector<std::size_t> answers;
    for (const auto& question : problem_.questions()) {
      std::size_t chosen = 0;
      for (std::size_t i = 0; i < question.costs.size(); ++i)
        if (model.eval(variable(question.first_variable + i), true).is_true()) chosen = i;
      answers.push_back(chosen);
    }
    return answers;
  }

  // Conditions are assumed by their words and dropped one after the other while the rest still contradicts
  // itself: what is left cannot be left out.
  std::vector<std::string> core() {
    std::map<std::string, z3::expr> assumed;
    z3::solver solver(context_);
    add_shape(solver);
    for (const Condition& condition : problem_.conditions()) {
      const auto place =
          assumed.try_emplace(condition.why, context_.bool_const(("why " + condition.why).c_str())).first;
      solver.add(z3::implies(place->second, formula(condition)));
    }
    const auto contradicts = [&](const std::vector<std::string>& words) {
      z3::expr_vector these(context_);
      for (const std::string& word : words) these.push_back(assumed.at(word));
      return solver.check(these) == z3::unsat;
    };
    std::vector<std::string> words;
    for (const auto& [why, unused] : assumed) words.push_back(why);
    for (std::size_t at = 0; at < words.size();) {
      std::vector<std::string> fewer = words;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
      if (contradicts(fewer)) {
        words = std::move(fewer);
      } else {
        ++at;
      }
    }
    return words;
  }

 private:
  z3::expr variable(std::size_t number) { return booleans_[static_cast<int>(number)]; }
  z3::expr literal(const Literal& literal) {
    return literal.is_true ? variable(literal.variable) : !variable(literal.variable);
  }
  z3::expr_vector literals(const std::vector<Literal>& all) {
    z3::expr_vector made(context_);
    for (const Literal& one : all) made.push_back(literal(one));
    return made;
  }

  z3::expr formula(const Condition& condition) {
    const z3::expr_vector all = literals(condition.literals);
    if (condition.is_at_most_one) return z3::atmost(all, 1);
    return all.empty() ? context_.bool_val(false) : z3::mk_or(all);
  }

  // Answers that a condition rules out by itself.
  std::vector<bool> ruled_out() const {
    std::vector<bool> out(problem_.variables(), false);
    for (const Condition& condition : problem_.conditions())
      if (!condition.is_at_most_one && condition.literals.size() == 1 && !condition.literals[0].is_true)
        out[condition.literals[0].variable] = true;
    return out;
  }

  // One wish for the cheapest answer that is left and one each for what the others cost more than the next:
  // so few wishes contradict each other. Of answers that cost the same the first is preferred, by less than
  // any cost.
  void add_wishes(const ChoiceProblem::Question& question, const std::vector<bool>& out,
                  z3::optimize& optimize) {
    std::vector<std::pair<long, std::size_t>> left;  // cost, variable
    for (std::size_t i = 0; i < question.costs.size(); ++i)
      if (!out[question.first_variable + i])
        left.emplace_back(question.costs[i], question.first_variable + i);
    if (left.size() < 2) return;
    std::ranges::sort(left);
    const long unit = questions_asked() + 1;
    const auto weight_of = [&](std::size_t at) {
      return left[at].first * unit + (at > 0 && left[at].first == left[0].first ? 1 : 0);
    };
    const auto wish = [&](const z3::expr& expression, long weight) {
      const long all = weight * static_cast<long>(question.count);
      if (all > 0) optimize.add_soft(expression, std::to_string(all).c_str());
    };
    wish(variable(left[0].second), weight_of(1) - weight_of(0));
    for (std::size_t at = 2; at < left.size(); ++at)
      wish(!variable(left[at].second), weight_of(at) - weight_of(1));
  }

  long questions_asked() const {
    std::size_t count = 0;
    for (const auto& question : problem_.questions()) count += question.count;
    return static_cast<long>(count);
  }

  template <typename Into>
  void add_shape(Into& into) {
    for (const auto& question : problem_.questions()) {
      z3::expr_vector answers(context_);
      for (std::size_t i = 0; i < question.costs.size(); ++i)
        answers.push_back(variable(question.first_variable + i));
      into.add(z3::mk_or(answers));
      for (unsigned i = 0; i < answers.size(); ++i)
        for (unsigned j = i + 1; j < answers.size(); ++j)
          into.add(!answers[static_cast<int>(i)] || !answers[static_cast<int>(j)]);
    }
    for (const auto& group : problem_.groups()) {
      z3::expr_vector members = literals(group.members);
      into.add(variable(group.variable) == z3::mk_or(members));
    }
  }

  const ChoiceProblem& problem_;
  z3::context context_;
  z3::expr_vector booleans_;
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

Solution solve(const ChoiceProblem& problem) {
  if (const auto missing = why_no_solver()) return {{}, {*missing}};
  try {
    const Folded folded = fold_questions(problem);
    const auto answers = Translation(folded.problem).cheapest();
    if (!answers) return {{}, Translation(problem).core()};
    return {folded.unfolded(*answers), {}};
  } catch (const z3::exception& error) {
    return {{}, {std::string("the solver gave up: ") + error.msg()}};
  }
}

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
