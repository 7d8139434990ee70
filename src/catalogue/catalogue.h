// All symptoms and facts, with every pattern of theirs compiled into one set. Built-in entries are embedded
// in the binary; a user's folder adds entries and replaces those of the same code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/text_search/pattern_set.h"
#include "catalogue/decode.h"
#include "catalogue/prefilter.h"
#include "catalogue/symptom.h"

namespace lockstep::catalogue {

// The symptoms of a catalogue in the order of their codes. Packed ones are decoded when first asked for: a
// log needs a few of the hundreds.
class SymptomShelf {
 public:
  explicit SymptomShelf(std::vector<Symptom> symptoms);
  // Each of `packed` is a code and the JSON text of its entry, sound as the build checked it. The texts must
  // outlive the shelf.
  SymptomShelf(std::vector<std::pair<std::string_view, std::string_view>> packed,
               std::string_view packed_recipes);

  std::size_t size() const { return slots_.size(); }
  std::string_view code_at(std::size_t place) const { return slots_[place].code; }
  // From several threads at once, too.
  const Symptom& at(std::size_t place) const;

 private:
  struct Slot {
    std::string code;
    std::string_view packed;
    mutable std::unique_ptr<const Symptom> symptom;
  };

  std::vector<Slot> slots_;
  std::string_view packed_recipes_;
  mutable std::optional<Recipes> recipes_;
  mutable std::mutex mutex_;
};

// Whose pattern an id of a set is.
struct PatternOwner {
  enum class Kind : std::uint8_t { kSymptom, kFact };
  Kind kind = Kind::kSymptom;
  std::size_t owner = 0;   // a symptom's or fact's place in the catalogue
  std::size_t number = 0;  // of the owner's patterns
};

class Catalogue {
 public:
  // The embedded catalogue, then the folders in their order. Without folders nothing is parsed that no log
  // asks for.
  static Result<Catalogue> load(std::span<const std::filesystem::path> folders = {});
  // One folder by itself.
  static Result<Catalogue> from_folder(const std::filesystem::path& folder);

  std::size_t size() const { return shelf_->size(); }
  const Symptom& symptom(std::size_t place) const { return shelf_->at(place); }
  const std::vector<Fact>& facts() const { return facts_; }
  const Symptom* find(std::string_view code) const;  // nullptr: no such code
  const Symptom& at(std::string_view code) const;    // for codes that the tool itself relies on

  // What a whole log is scanned for: symptoms that say something.
  const base::PatternSet& telling() const { return *telling_; }
  const PatternOwner& owner_of_telling(unsigned id) const { return telling_owners_[id]; }
  // Which lines are worth that; nullptr: all of them, as the catalogue was not packed.
  const Prefilter* prefilter() const { return prefilter_ ? &*prefilter_ : nullptr; }
  // What the two ends of a log are scanned for: facts.
  const base::PatternSet& telling_of_facts() const { return *fact_set_; }
  const PatternOwner& owner_of_fact(unsigned id) const { return fact_owners_[id]; }
  // What a line that matched is asked next: does it only sound like trouble?
  const base::PatternSet& quiet() const { return *quiet_; }
  const PatternOwner& owner_of_quiet(unsigned id) const { return quiet_owners_[id]; }

  // The form that is embedded: loading it parses no YAML and compiles no pattern.
  struct Packed {
    std::string entries;
    std::string advice;
    std::string telling;
    std::string quiet;
    std::string facts;
    std::string prefilter;
  };
  // `ordinary_text`: what healthy jobs print.
  Result<Packed> pack(std::string_view ordinary_text) const;

 private:
  Catalogue() = default;
  static Result<Catalogue> from_values(const base::Json& values, std::string_view where);
  static std::optional<Catalogue> unpack(std::string_view entries, std::string_view telling,
                                         std::string_view quiet, std::string_view facts,
                                         std::string_view prefilter);
  Result<void> compile();
  std::string packed_advice() const;
  std::vector<std::string> names_of(std::span<const PatternOwner> owners) const;

  std::unique_ptr<SymptomShelf> shelf_;
  std::vector<Fact> facts_;
  FamilyRemedies remedies_;
  std::string packed_entries_;
  std::vector<PatternOwner> telling_owners_;
  std::vector<PatternOwner> quiet_owners_;
  std::vector<PatternOwner> fact_owners_;
  std::optional<base::PatternSet> telling_;
  std::optional<base::PatternSet> quiet_;
  std::optional<base::PatternSet> fact_set_;
  std::optional<Prefilter> prefilter_;
};

// Everything wrong with the samples of the catalogue: one sentence each, naming code and sample.
std::vector<std::string> sample_faults(const Catalogue& catalogue);

}  // namespace lockstep::catalogue
