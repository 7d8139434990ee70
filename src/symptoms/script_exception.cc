#include "symptoms/script_exception.h"

#include <algorithm>

#include "symptoms/script_place.h"

namespace lockstep::symptoms {
namespace {

constexpr std::size_t kLongestQuote = 120;

std::string quoted(const RaisedException& exception) {
  std::string text = exception.kind.substr(exception.kind.rfind('.') + 1);
  if (!exception.message.empty()) text += ": " + exception.message;
  if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + "...";
  return text;
}

bool knows_the_line(const Candidate& candidate, const ScriptException& exception) {
  return std::ranges::any_of(candidate.sightings, [&](const Sighting* seen) {
    return std::ranges::any_of(exception.sightings, [&](const Sighting& own) {
      return seen->log == own.log && seen->line == own.line;
    });
  });
}

// What ranks print that lose another one.
bool speaks_of_peers(const Candidate& candidate) {
  switch (candidate.leaf) {
    case model::Leaf::kRunComm:
    case model::Leaf::kPrepComm:
    case model::Leaf::kSetupFail:
    case model::Leaf::kSetupHang:
    case model::Leaf::kPrepHang:
    case model::Leaf::kPerfHang:
      return true;
    default:
      return candidate.symptom->victims_print_it;
  }
}

// Printed by other ranks, or after the exception in the same log: nothing that can have led to it.
bool cannot_have_led_to(const ScriptException& exception, const Candidate& candidate) {
  return std::ranges::all_of(candidate.sightings, [&](const Sighting* seen) {
    return std::ranges::all_of(exception.sightings, [&](const Sighting& own) {
      if (seen->rank && own.rank) return seen->rank != own.rank || seen->line.begin > own.line.begin;
      return seen->log == own.log && seen->line.begin > own.line.begin;
    });
  });
}

bool outweighs(const ScriptException& exception, std::span<const Candidate> candidates) {
  return std::ranges::none_of(candidates, [&](const Candidate& candidate) {
    if (candidate.role != Role::kOrigin || candidate.strength == Strength::kHint) return false;
    if (knows_the_line(candidate, exception))
      return candidate.strength != Strength::kWeak || candidate.leaf != exception.leaf;
    return !speaks_of_peers(candidate) || !cannot_have_led_to(exception, candidate);
  });
}

Candidate candidate_from(const ScriptException& exception) {
  Candidate candidate;
  candidate.symptom = exception.sightings.front().symptom;
  candidate.leaf = exception.leaf;
  candidate.strength = Strength::kWeak;
  candidate.lead = &exception.sightings.front();
  for (const Sighting& sighting : exception.sightings) {
    candidate.sightings.push_back(&sighting);
    if (sighting.rank) candidate.ranks.insert(*sighting.rank);
  }
  return candidate;
}

}  // namespace

std::optional<ScriptException> script_exception_in(const Catalogue& catalogue,
                                                   std::span<const RaisedException> raised,
                                                   const LineSources& sources) {
  const auto first = std::ranges::find_if(raised, is_the_scripts_own);
  if (first == raised.end()) return std::nullopt;
  ScriptException found;
  found.leaf = leaf_of(*first);
  const std::string place = place_of(*first);
  for (const RaisedException& exception : raised) {
    if (exception.kind != first->kind || place_of(exception) != place) continue;
    Sighting sighting;
    sighting.symptom = &catalogue.at("script.exception");
    sighting.log = exception.log;
    sighting.line = exception.at;
    const LineSource source = sources.at(exception.log, exception.at);
    sighting.rank = source.rank;
    sighting.time_ns = source.time_ns;
    sighting.captures = {{"exception", quoted(exception)}, {"place", place}};
    found.sightings.push_back(std::move(sighting));
  }
  return found;
}

void put_first_if_it_outweighs(const ScriptException& exception, std::vector<Candidate>& candidates) {
  if (!outweighs(exception, candidates)) return;
  std::erase_if(candidates, [&](const Candidate& other) { return knows_the_line(other, exception); });
  candidates.insert(candidates.begin(), candidate_from(exception));
}

}  // namespace lockstep::symptoms
