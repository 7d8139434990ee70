// One entry of the catalogue: a symptom below one of the study's leaves, how to know it, what it means and
// what repairs it. docs/formats/catalogue.md describes the YAML file it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_search/regex.h"
#include "catalogue/advice.h"
#include "model/finding.h"

namespace lockstep::catalogue {

// What a matching line says about the fault. Only an origin can be the verdict by itself.
enum class Role : std::uint8_t {
  kOrigin,    // the fault itself
  kCascade,   // another rank's fault, seen from here
  kTeardown,  // the job being ended because of it
  kWrapper,   // a launcher or library repeating that something failed
  kAdvice,    // what a message supposes; never evidence
  kNoise      // harmless
};

// How surely a matching line means this symptom, weakest first.
enum class Strength : std::uint8_t {
  kHint,     // seems to point there
  kWeak,     // one of several things it can be
  kStrong,   // this, unless something clearer stands beside it
  kDecisive  // the program says so itself
};

// What must be known of the whole log for something to hold: "horovod", "!stage.train", "joined>world".
struct Condition {
  enum class Kind : std::uint8_t { kFact, kLess, kEqual, kGreater };
  Kind kind = Kind::kFact;
  bool negated = false;
  std::string left;   // a fact, or the name of a capture
  std::string right;  // a capture or a number; empty for a fact
};

struct Pattern {
  std::string regex;
  std::string unless;  // a line that also matches this does not count
  Role role = Role::kOrigin;
  Strength strength = Strength::kStrong;
  // Whose text it is, and in which releases: a log that says it has another one does not count.
  std::string framework;
  std::string versions;
  std::vector<Condition> when;
  std::size_t at_least = 1;        // how many lines must match before it counts
  bool only_as_last_line = false;  // counts where a log ends with it and nothing went wrong before
};

// The same words with another meaning: the first variant whose conditions hold replaces what it names.
struct Variant {
  std::vector<Condition> when;
  std::optional<model::Leaf> leaf;
  std::optional<model::Scope> scope;
  std::optional<Strength> strength;
  std::string title;
  std::vector<model::Fix> fixes;
};

// How the scope follows from the ranks that print the symptom.
enum class ScopeRule : std::uint8_t {
  kFixed,    // the symptom's usual scope, which a reader is not told as a fact
  kByRanks,  // all ranks alike: ordinary; one of several: distributed; unclear: the symptom's scope
  kByNature  // it cannot be otherwise: ranks wait for each other, or do not fit together
};

// What the ranks that print the symptom have to do with it.
enum class Printer : std::uint8_t {
  kCulprit,  // they began it
  kVictim,   // they only wait for another one
  kEither    // it shows between two ranks: the one that prints it may be either
};

struct Symptom {
  std::string code;
  std::string title;  // {name} stands for a capture
  model::Leaf leaf = model::Leaf::kRunOther;
  model::Scope scope = model::Scope::kUnknown;
  ScopeRule scope_rule = ScopeRule::kFixed;
  Printer printer = Printer::kCulprit;
  std::vector<Pattern> patterns;
  std::vector<Variant> variants;
  std::string meaning;
  std::vector<std::string> causes;
  std::vector<model::Fix> fixes;
  std::vector<model::Fix> rank_fixes;  // where the analysis of ranks finds it; empty: the same
  std::optional<Remedy> remedy;        // nullopt: that of its family
  std::vector<std::string> references;
  std::vector<std::string> matches;
  std::vector<std::string> misses;
};

// Something about the job that a line gives away and other entries may ask for: the framework, the stage.
struct Fact {
  std::string name;
  std::vector<std::string> regexes;
  std::vector<std::string> matches;
  std::vector<std::string> misses;
};

// The words of a catalogue file for these enumerations.
std::string_view word_for(Role role);
std::string_view word_for(Strength strength);
std::string_view word_for(model::Scope scope);
std::string_view word_for(Remedy remedy);
std::optional<Role> role_named(std::string_view word);
std::optional<Strength> strength_named(std::string_view word);
std::optional<model::Scope> scope_named(std::string_view word);
std::optional<Remedy> remedy_named(std::string_view word);

// "horovod", "!stage.train", "joined>world"; nullopt when it is none of these.
std::optional<Condition> condition_from(std::string_view text);

// A title or meaning, such as "The port[ {port}] is already taken": what stands in brackets is said only
// where the line has all of its captures.
std::string worded(std::string_view text, const base::Regex::Captures& captures);

// Of no line in particular.
inline std::string worded_in_general(std::string_view text) {
  return worded(text, {});
}

}  // namespace lockstep::catalogue
