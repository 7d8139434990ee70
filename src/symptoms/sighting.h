// A line that an entry of the catalogue knows, after everything that speaks against it was asked: noise,
// advice, the pattern's own exceptions and conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/regex.h"
#include "symptoms/catalogue.h"
#include "symptoms/context.h"
#include "symptoms/line.h"
#include "symptoms/line_sources.h"
#include "symptoms/log_text.h"
#include "symptoms/scan.h"

namespace lockstep::symptoms {

struct Sighting {
  const Symptom* symptom = nullptr;
  const Pattern* pattern = nullptr;
  const Variant* variant = nullptr;  // nullptr: the entry as it stands
  std::size_t log = 0;
  LineSpan line;
  std::optional<int> rank;
  std::optional<std::int64_t> time_ns;  // of the log's own clock
  Stage stage = Stage::kUnknown;
  base::Regex::Captures captures;

  Strength strength() const {
    return variant != nullptr && variant->strength ? *variant->strength : pattern->strength;
  }
  model::Leaf leaf() const { return variant != nullptr && variant->leaf ? *variant->leaf : symptom->leaf; }
};

inline bool is_same_line(const Sighting& one, const Sighting& other) {
  return one.log == other.log && one.line == other.line;
}

std::vector<Sighting> sightings_in(const Catalogue& catalogue, std::span<const LogText> logs,
                                   std::span<const Scan> scans, const Context& context,
                                   const LineSources& sources);

}  // namespace lockstep::symptoms
