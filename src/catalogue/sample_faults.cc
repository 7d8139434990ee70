#include <set>

#include <fmt/format.h>

#include "base/text_search/regex.h"
#include "catalogue/catalogue.h"

namespace lockstep::catalogue {
namespace {

struct Tester {
  base::Regex regex;
  std::optional<base::Regex> unless;

  bool accepts(std::string_view sample) const {
    return regex.found_in(sample) && !(unless && unless->found_in(sample));
  }
};

class Checker {
 public:
  std::vector<std::string> faults;

  void check(const std::string& name, const std::vector<Tester>& testers,
             const std::vector<std::string>& matches, const std::vector<std::string>& misses) {
    if (matches.empty()) faults.push_back(fmt::format("{}: has no sample under 'matches'", name));
    if (misses.empty()) faults.push_back(fmt::format("{}: has no sample under 'misses'", name));
    std::vector<bool> is_shown(testers.size());
    for (const std::string& sample : matches) {
      bool found = false;
      for (std::size_t i = 0; i < testers.size(); ++i) {
        if (!testers[i].accepts(sample)) continue;
        found = is_shown[i] = true;
      }
      if (!found) faults.push_back(fmt::format("{}: no pattern matches the sample '{}'", name, sample));
    }
    for (const std::string& sample : misses) {
      for (std::size_t i = 0; i < testers.size(); ++i) {
        if (testers[i].accepts(sample))
          faults.push_back(fmt::format("{}: patterns[{}] matches '{}', which it must miss", name, i, sample));
      }
    }
    for (std::size_t i = 0; i < testers.size(); ++i) {
      if (!is_shown[i]) faults.push_back(fmt::format("{}: no sample shows patterns[{}]", name, i));
    }
  }

  std::optional<base::Regex> regex(const std::string& name, const std::string& pattern) {
    auto regex = base::Regex::compile(pattern, name);
    if (regex.ok()) return std::move(regex).value();
    faults.push_back(fmt::format("{}: {}", name, regex.error().why));
    return std::nullopt;
  }
};

void check_symptom(Checker& checker, const Symptom& symptom) {
  std::vector<Tester> testers;
  for (const Pattern& pattern : symptom.patterns) {
    std::optional<base::Regex> regex = checker.regex(symptom.code, pattern.regex);
    if (!regex) return;
    std::optional<base::Regex> unless;
    if (!pattern.unless.empty() && !(unless = checker.regex(symptom.code, pattern.unless))) return;
    testers.push_back({*std::move(regex), std::move(unless)});
  }
  if (testers.empty()) return;  // a silent symptom: found by what is missing, not by words
  checker.check(symptom.code, testers, symptom.matches, symptom.misses);
  if (symptom.fixes.empty() && symptom.patterns.front().role == Role::kOrigin)
    checker.faults.push_back(fmt::format("{}: has no fix", symptom.code));
}

void check_fact(Checker& checker, const Fact& fact) {
  std::vector<Tester> testers;
  for (const std::string& pattern : fact.regexes) {
    std::optional<base::Regex> regex = checker.regex(fact.name, pattern);
    if (!regex) return;
    testers.push_back({*std::move(regex), std::nullopt});
  }
  checker.check(fact.name, testers, fact.matches, fact.misses);
}

void check_conditions(Checker& checker, const std::string& code, const std::vector<Condition>& conditions,
                      const std::set<std::string, std::less<>>& facts) {
  for (const Condition& condition : conditions) {
    if (condition.kind == Condition::Kind::kFact && !facts.contains(condition.left))
      checker.faults.push_back(fmt::format("{}: no fact is called '{}'", code, condition.left));
  }
}

}  // namespace

std::vector<std::string> sample_faults(const Catalogue& catalogue) {
  Checker checker;
  std::set<std::string, std::less<>> facts;
  for (const Fact& fact : catalogue.facts()) {
    facts.insert(fact.name);
    check_fact(checker, fact);
  }
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const Symptom& symptom = catalogue.symptom(i);
    check_symptom(checker, symptom);
    for (const Pattern& pattern : symptom.patterns)
      check_conditions(checker, symptom.code, pattern.when, facts);
    for (const Variant& variant : symptom.variants)
      check_conditions(checker, symptom.code, variant.when, facts);
  }
  return checker.faults;
}

}  // namespace lockstep::catalogue
