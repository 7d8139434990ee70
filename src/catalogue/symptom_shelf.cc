#include "catalogue/symptom_shelf.h"

#include "base/check.h"
#include "base/json.h"

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

}  // namespace lockstep::catalogue
