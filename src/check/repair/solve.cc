#include <algorithm>
#include <map>

#include <z3++.h>

#include "check/repair/choice_problem.h"
#include "check/repair/fold_questions.h"

namespace lockstep::repair {
namespace {

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

Solution solve(const ChoiceProblem& problem) {
  try {
    const Folded folded = fold_questions(problem);
    const auto answers = Translation(folded.problem).cheapest();
    if (!answers) return {{}, Translation(problem).core()};
    return {folded.unfolded(*answers), {}};
  } catch (const z3::exception& error) {
    return {{}, {std::string("the solver gave up: ") + error.msg()}};
  }
}

}  // namespace lockstep::repair
