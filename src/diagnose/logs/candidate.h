// A possible verdict: one symptom with all its sightings.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/text_search/regex.h"
#include "catalogue/catalogue.h"
#include "diagnose/logs/context.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/line_sources.h"
#include "diagnose/logs/scan.h"

namespace lockstep::logs {

// A line that an entry of the catalogue knows, after everything that speaks against it was asked: noise,
// advice, the pattern's own exceptions and conditions.
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

struct Candidate {
  const catalogue::Symptom* symptom = nullptr;
  const catalogue::Variant* variant = nullptr;
  catalogue::Role role = catalogue::Role::kOrigin;
  catalogue::Strength strength = catalogue::Strength::kHint;
  model::Leaf leaf = model::Leaf::kRunOther;
  const Sighting* lead = nullptr;          // the one that says most
  std::vector<const Sighting*> sightings;  // in the order of the logs
  std::set<int> ranks;                     // who printed it, as far as said
};

// Most likely first: an origin before what follows from one, the stronger before the weaker, the earlier
// before the later. `sightings` must outlive the result.
std::vector<Candidate> candidates_from(std::span<const Sighting> sightings);

}  // namespace lockstep::logs
