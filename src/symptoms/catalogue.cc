#include "symptoms/catalogue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "symptoms/catalogue_files.h"
#include "symptoms/decode.h"

namespace lockstep::symptoms {
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

Result<base::PatternSet> set_from(std::string_view bytes, const PatternList& list) {
  if (!bytes.empty()) {
    if (auto set = base::PatternSet::from_bytes(bytes)) return *std::move(set);
  }
  return base::PatternSet::compile(list.texts);
}

}  // namespace

Result<Catalogue> Catalogue::from_values(Json values, std::string_view where) {
  Catalogue catalogue;
  const Recipes recipes = TRY(decode_recipes(values["recipes"], fmt::format("{}: recipes", where)));
  catalogue.facts_ = TRY(decode_facts(values["facts"], fmt::format("{}: facts", where)));
  for (const auto& [code, entry] : values["symptoms"].items())
    catalogue.symptoms_.push_back(TRY(decode_symptom(entry, recipes, fmt::format("{}: {}", where, code))));
  catalogue.values_ = std::move(values);
  return catalogue;
}

Result<void> Catalogue::compile(std::string_view telling_bytes, std::string_view quiet_bytes) {
  PatternList telling;
  PatternList quiet;
  for (std::size_t i = 0; i < symptoms_.size(); ++i) {
    for (std::size_t number = 0; number < symptoms_[i].patterns.size(); ++number) {
      const Pattern& pattern = symptoms_[i].patterns[number];
      (is_quiet(pattern.role) ? quiet : telling)
          .add(pattern.regex, false, {PatternOwner::Kind::kSymptom, i, number});
    }
  }
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    for (std::size_t number = 0; number < facts_[i].regexes.size(); ++number)
      telling.add(facts_[i].regexes[number], true, {PatternOwner::Kind::kFact, i, number});
  }
  telling_ = TRY(set_from(telling_bytes, telling));
  quiet_ = TRY(set_from(quiet_bytes, quiet));
  telling_owners_ = std::move(telling.owners);
  quiet_owners_ = std::move(quiet.owners);
  return {};
}

Result<Catalogue> Catalogue::from_folder(const std::filesystem::path& folder) {
  Json values = TRY(read_catalogue_folder(folder));
  Catalogue catalogue = TRY(from_values(std::move(values), folder.string()));
  TRY(catalogue.compile({}, {}));
  return catalogue;
}

const Symptom* Catalogue::find(std::string_view code) const {
  const auto found = std::ranges::find(symptoms_, code, &Symptom::code);
  return found == symptoms_.end() ? nullptr : &*found;
}

const Symptom& Catalogue::at(std::string_view code) const {
  const Symptom* symptom = find(code);
  CHECK(symptom != nullptr, code);
  return *symptom;
}

Catalogue::Packed Catalogue::pack() const {
  return {base::to_text(values_, base::JsonLayout::kOneLine), telling_->to_bytes(), quiet_->to_bytes()};
}

}  // namespace lockstep::symptoms
