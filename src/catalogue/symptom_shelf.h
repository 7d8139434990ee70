// The symptoms of a catalogue in the order of their codes. Packed ones are decoded when first asked for: a
// log needs a few of the hundreds.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/decode.h"
#include "catalogue/symptom.h"

namespace lockstep::catalogue {

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

}  // namespace lockstep::catalogue
