#include "catalogue/symptom.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace lockstep::catalogue {
namespace {

struct Filled {
  std::string text;
  bool is_whole = true;  // every capture was there; "?" stands for one that was not
};

Filled filled(std::string_view text, const base::Regex::Captures& captures) {
  Filled out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) {
      out.text.append(text);
      return out;
    }
    const auto captured = captures.find(std::string(text.substr(open + 1, close - open - 1)));
    const bool is_there = captured != captures.end() && !captured->second.empty();
    out.is_whole = out.is_whole && is_there;
    out.text.append(text.substr(0, open)).append(is_there ? captured->second : "?");
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

std::string worded(std::string_view text, const base::Regex::Captures& captures) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    const std::size_t close = open == std::string_view::npos ? open : text.find(']', open);
    out.append(filled(text.substr(0, close == std::string_view::npos ? close : open), captures).text);
    if (close == std::string_view::npos) return out;
    const Filled optional = filled(text.substr(open + 1, close - open - 1), captures);
    if (optional.is_whole) out.append(optional.text);
    text.remove_prefix(close + 1);
  }
  return out;
}

namespace {

template <typename Value, std::size_t size>
using Words = std::array<std::pair<Value, std::string_view>, size>;

constexpr Words<Role, 6> kRoles{{{Role::kOrigin, "origin"},
                                 {Role::kCascade, "cascade"},
                                 {Role::kTeardown, "teardown"},
                                 {Role::kWrapper, "wrapper"},
                                 {Role::kAdvice, "advice"},
                                 {Role::kNoise, "noise"}}};

constexpr Words<Strength, 4> kStrengths{{{Strength::kHint, "hint"},
                                         {Strength::kWeak, "weak"},
                                         {Strength::kStrong, "strong"},
                                         {Strength::kDecisive, "decisive"}}};

constexpr Words<model::Scope, 3> kScopes{{{model::Scope::kDistributed, "distributed"},
                                          {model::Scope::kOrdinary, "ordinary"},
                                          {model::Scope::kUnknown, "unknown"}}};

constexpr Words<Remedy, 8> kRemedies{{{Remedy::kNone, "none"},
                                      {Remedy::kOtherPorts, "other_ports"},
                                      {Remedy::kOwnNetwork, "own_network"},
                                      {Remedy::kOtherNodes, "other_nodes"},
                                      {Remedy::kMoreMemory, "more_memory"},
                                      {Remedy::kSharedSpace, "shared_space"},
                                      {Remedy::kAgain, "again"},
                                      {Remedy::kUnknown, "unknown"}}};

template <typename Value, std::size_t size>
std::string_view find_word(const Words<Value, size>& words, Value value) {
  return std::ranges::find(words, value, &std::pair<Value, std::string_view>::first)->second;
}

template <typename Value, std::size_t size>
std::optional<Value> find_value(const Words<Value, size>& words, std::string_view word) {
  const auto found = std::ranges::find(words, word, &std::pair<Value, std::string_view>::second);
  return found == words.end() ? std::nullopt : std::optional(found->first);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
}

}  // namespace

std::string_view word_for(Role role) {
  return find_word(kRoles, role);
}
std::string_view word_for(Strength strength) {
  return find_word(kStrengths, strength);
}
std::string_view word_for(model::Scope scope) {
  return find_word(kScopes, scope);
}
std::optional<Role> role_named(std::string_view word) {
  return find_value(kRoles, word);
}
std::optional<Strength> strength_named(std::string_view word) {
  return find_value(kStrengths, word);
}
std::optional<model::Scope> scope_named(std::string_view word) {
  return find_value(kScopes, word);
}

std::string_view word_for(Remedy remedy) {
  return find_word(kRemedies, remedy);
}
std::optional<Remedy> remedy_named(std::string_view word) {
  return find_value(kRemedies, word);
}

std::optional<Condition> condition_from(std::string_view text) {
  Condition condition;
  if (const std::size_t sign = text.find_first_of("<>="); sign != std::string_view::npos) {
    condition.kind = text[sign] == '<'   ? Condition::Kind::kLess
                     : text[sign] == '>' ? Condition::Kind::kGreater
                                         : Condition::Kind::kEqual;
    condition.left = text.substr(0, sign);
    condition.right = text.substr(sign + 1);
    if (!is_name(condition.left) || !is_name(condition.right)) return std::nullopt;
    return condition;
  }
  condition.negated = text.starts_with('!');
  if (condition.negated) text.remove_prefix(1);
  if (!is_name(text)) return std::nullopt;
  condition.left = text;
  return condition;
}

}  // namespace lockstep::catalogue
