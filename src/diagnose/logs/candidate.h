// A possible verdict: one symptom with all its sightings.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "diagnose/logs/sighting.h"

namespace lockstep::logs {

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
