// A line that an entry of the catalogue knows, after everything that speaks against it was asked: noise,
// advice, the pattern's own exceptions and conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text_search/regex.h"
#include "catalogue/catalogue.h"
#include "diagnose/logs/context.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/line_sources.h"
#include "diagnose/logs/log_text.h"
#include "diagnose/logs/scan.h"

namespace lockstep::logs {

struct Sighting {
  const catalogue::Symptom* symptom = nullptr;
  const catalogue::Pattern* pattern = nullptr;
  const catalogue::Variant* variant = nullptr;  // nullptr: the entry as it stands
  std::size_t log = 0;
  LineSpan line;
  std::optional<int> rank;
  std::optional<std::int64_t> time_ns;  // of the log's own clock
  Stage stage = Stage::kUnknown;
  base::Regex::Captures captures;

  catalogue::Strength strength() const {
    return variant != nullptr && variant->strength ? *variant->strength : pattern->strength;
  }
  model::Leaf leaf() const { return variant != nullptr && variant->leaf ? *variant->leaf : symptom->leaf; }
};

inline bool is_same_line(const Sighting& one, const Sighting& other) {
  return one.log == other.log && one.line == other.line;
}

std::vector<Sighting> sightings_in(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                                   std::span<const Scan> scans, const Context& context,
                                   const LineSources& sources);

}  // namespace lockstep::logs
