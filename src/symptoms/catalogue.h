// All symptoms and facts, with every pattern of theirs compiled into one set. Built-in entries are embedded
// in the binary; a user's folder adds entries and replaces those of the same code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/pattern_set.h"
#include "base/result.h"
#include "symptoms/symptom.h"

namespace lockstep::symptoms {

// Whose pattern an id of the set is.
struct PatternOwner {
  enum class Kind : std::uint8_t { kSymptom, kFact };
  Kind kind = Kind::kSymptom;
  std::size_t owner = 0;   // into symptoms() or facts()
  std::size_t number = 0;  // of the owner's patterns
};

class Catalogue {
 public:
  // The embedded catalogue, then the folders in their order. Fast when there are no folders.
  static Result<Catalogue> load(std::span<const std::filesystem::path> folders = {});
  // One folder by itself, samples checked: what `catalogue check` and the build use.
  static Result<Catalogue> from_folder(const std::filesystem::path& folder);

  const std::vector<Symptom>& symptoms() const { return symptoms_; }
  const std::vector<Fact>& facts() const { return facts_; }
  const Symptom* find(std::string_view code) const;  // nullptr: no such code
  const Symptom& at(std::string_view code) const;    // for codes that the tool itself relies on

  // What a log is scanned for: symptoms that say something, and facts.
  const base::PatternSet& telling() const { return *telling_; }
  const PatternOwner& owner_of_telling(unsigned id) const { return telling_owners_[id]; }
  // What a line that matched is asked next: does it only sound like trouble?
  const base::PatternSet& quiet() const { return *quiet_; }
  const PatternOwner& owner_of_quiet(unsigned id) const { return quiet_owners_[id]; }

  // The form that is embedded: loading it parses no YAML and compiles no pattern.
  struct Packed {
    std::string entries;
    std::string telling;
    std::string quiet;
  };
  Packed pack() const;

 private:
  Catalogue() = default;
  static Result<Catalogue> from_values(base::Json values, std::string_view where);
  Result<void> compile(std::string_view telling_bytes, std::string_view quiet_bytes);

  base::Json values_;
  std::vector<Symptom> symptoms_;
  std::vector<Fact> facts_;
  std::vector<PatternOwner> telling_owners_;
  std::vector<PatternOwner> quiet_owners_;
  std::optional<base::PatternSet> telling_;
  std::optional<base::PatternSet> quiet_;
};

// Everything wrong with the samples of the catalogue: one sentence each, naming code and sample.
std::vector<std::string> sample_faults(const Catalogue& catalogue);

}  // namespace lockstep::symptoms
