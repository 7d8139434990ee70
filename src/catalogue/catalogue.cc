#include "catalogue/catalogue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "catalogue/decode.h"
#include "catalogue/folder.h"

namespace lockstep::catalogue {
namespace {

base::Json parse_packed(std::string_view text) {
  auto json = base::parse_json(text, "built-in catalogue");
  CHECK(json.ok(), "the built-in catalogue is JSON");
  return std::move(json).value();
}

}  // namespace

SymptomShelf::SymptomShelf(std::vector<Symptom> symptoms) {
  for (Symptom& symptom : symptoms) {
    Slot slot;
    slot.code = symptom.code;
    slot.symptom = std::make_unique<const Symptom>(std::move(symptom));
    slots_.push_back(std::move(slot));
  }
}

SymptomShelf::SymptomShelf(std::vector<std::pair<std::string_view, std::string_view>> packed,
                           std::string_view packed_recipes)
    : packed_recipes_(packed_recipes) {
  slots_.reserve(packed.size());
  for (const auto& [code, text] : packed) {
    Slot slot;
    slot.code = code;
    slot.packed = text;
    slots_.push_back(std::move(slot));
  }
}

const Symptom& SymptomShelf::at(std::size_t place) const {
  const std::lock_guard lock(mutex_);
  const Slot& slot = slots_[place];
  if (slot.symptom == nullptr) {
    if (!recipes_) {
      auto recipes = decode_recipes(parse_packed(packed_recipes_), "built-in recipes");
      CHECK(recipes.ok(), "the built-in recipes are sound");
      recipes_ = std::move(recipes).value();
    }
    auto symptom = decode_symptom(parse_packed(slot.packed), *recipes_, slot.code);
    CHECK(symptom.ok(), "the built-in entries are sound");
    slot.symptom = std::make_unique<const Symptom>(std::move(symptom).value());
  }
  return *slot.symptom;
}

namespace {

using base::Json;

bool is_quiet(Role role) {
  return role == Role::kNoise || role == Role::kAdvice;
}

struct PatternList {
  std::vector<base::PatternText> texts;
  std::vector<PatternOwner> owners;

  void add(std::string regex, bool first_only, PatternOwner owner) {
    texts.push_back({std::move(regex), first_only});
    owners.push_back(owner);
  }
};

// vectorscan's refusal, with the code or fact whose pattern it is.
Result<base::PatternSet> compiled(const PatternList& list, const std::vector<std::string>& owner_names) {
  auto set = base::PatternSet::compile(list.texts);
  if (set.ok()) return set;
  Error error = set.error();
  const auto refused = std::ranges::find(list.texts, error.where, &base::PatternText::regex);
  if (refused != list.texts.end())
    error.where = fmt::format("{}: {}", owner_names[static_cast<std::size_t>(refused - list.texts.begin())],
                              error.where);
  return error;
}

std::string one_line(const Json& json) {
  return base::to_text(json, base::JsonLayout::kOneLine);
}

}  // namespace

Result<Catalogue> Catalogue::from_values(const Json& values, std::string_view where) {
  Catalogue catalogue;
  const Recipes recipes = TRY(decode_recipes(values.at("recipes"), fmt::format("{}: recipes", where)));
  catalogue.facts_ = TRY(decode_facts(values.at("facts"), fmt::format("{}: facts", where)));
  catalogue.remedies_ = TRY(decode_remedies(values.at("remedies"), fmt::format("{}: remedies", where)));
  std::vector<Symptom> symptoms;
  catalogue.packed_entries_ = one_line(values.at("recipes")) + "\n" + one_line(values.at("facts")) + "\n";
  for (const auto& [code, entry] : values.at("symptoms").items()) {
    symptoms.push_back(TRY(decode_symptom(entry, recipes, fmt::format("{}: {}", where, code))));
    catalogue.packed_entries_ += fmt::format("{}\t{}\n", code, one_line(entry));
  }
  catalogue.shelf_ = std::make_unique<SymptomShelf>(std::move(symptoms));
  TRY(catalogue.compile());
  return catalogue;
}

Result<void> Catalogue::compile() {
  PatternList telling;
  PatternList quiet;
  PatternList facts;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::vector<Pattern>& patterns = symptom(i).patterns;
    for (std::size_t number = 0; number < patterns.size(); ++number) {
      (is_quiet(patterns[number].role) ? quiet : telling)
          .add(patterns[number].regex, false, {PatternOwner::Kind::kSymptom, i, number});
    }
  }
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    for (std::size_t number = 0; number < facts_[i].regexes.size(); ++number)
      facts.add(facts_[i].regexes[number], true, {PatternOwner::Kind::kFact, i, number});
  }
  telling_ = TRY(compiled(telling, names_of(telling.owners)));
  quiet_ = TRY(compiled(quiet, names_of(quiet.owners)));
  fact_set_ = TRY(compiled(facts, names_of(facts.owners)));
  fact_owners_ = std::move(facts.owners);
  telling_owners_ = std::move(telling.owners);
  quiet_owners_ = std::move(quiet.owners);
  return {};
}

std::vector<std::string> Catalogue::names_of(std::span<const PatternOwner> owners) const {
  std::vector<std::string> names;
  for (const PatternOwner& owner : owners)
    names.push_back(owner.kind == PatternOwner::Kind::kFact ? facts_[owner.owner].name
                                                            : symptom(owner.owner).code);
  return names;
}

Result<Catalogue> Catalogue::from_folder(const std::filesystem::path& folder) {
  const Json values = TRY(read_catalogue_folder(folder));
  return from_values(values, folder.string());
}

const Symptom* Catalogue::find(std::string_view code) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (shelf_->code_at(i) == code) return &symptom(i);
  }
  return nullptr;
}

const Symptom& Catalogue::at(std::string_view code) const {
  const Symptom* symptom = find(code);
  CHECK(symptom != nullptr, code);
  return *symptom;
}

}  // namespace lockstep::catalogue
