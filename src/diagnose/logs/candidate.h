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
  const Symptom* symptom = nullptr;
  const Variant* variant = nullptr;
  Role role = Role::kOrigin;
  Strength strength = Strength::kHint;
  model::Leaf leaf = model::Leaf::kRunOther;
  const Sighting* lead = nullptr;          // the one that says most
  std::vector<const Sighting*> sightings;  // in the order of the logs
  std::set<int> ranks;                     // who printed it, as far as said
};

// Most likely first: an origin before what follows from one, the stronger before the weaker, the earlier
// before the later. `sightings` must outlive the result.
std::vector<Candidate> candidates_from(std::span<const Sighting> sightings);

}  // namespace lockstep::logs
