#include "diagnose/logs/script_exception.h"

#include <algorithm>
#include <iterator>

#include "diagnose/logs/exception_place.h"
#include "diagnose/logs/failure_words.h"
#include "diagnose/logs/finding_text.h"
#include "model/finding_code.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using catalogue::Printer;
using catalogue::Role;
using catalogue::Strength;
using catalogue::Variant;

constexpr std::size_t kLongestQuote = 120;

std::string quoted(const RaisedException& exception) {
  std::string text = exception.kind.substr(exception.kind.rfind('.') + 1);
  if (!exception.message.empty()) text += ": " + exception.message;
  if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + "...";
  return text;
}

bool knows_the_line(const Candidate& candidate, const ScriptException& exception) {
  return std::ranges::any_of(candidate.sightings, [&](const Sighting* seen) {
    return std::ranges::any_of(exception.sightings,
                               [&](const Sighting& own) { return is_same_line(*seen, own); });
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
      return candidate.symptom->printer == Printer::kVictim;
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

// The entry for exceptions that no other entry knows.
bool knows_only_that_it_failed(const Candidate& candidate) {
  return candidate.strength == Strength::kWeak && candidate.leaf == model::Leaf::kRunOther;
}

bool outweighs(const ScriptException& exception, std::span<const Candidate> candidates) {
  return std::ranges::none_of(candidates, [&](const Candidate& candidate) {
    if (candidate.role != Role::kOrigin || candidate.strength == Strength::kHint) return false;
    if (knows_the_line(candidate, exception)) return !knows_only_that_it_failed(candidate);
    return !speaks_of_peers(candidate) || !cannot_have_led_to(exception, candidate);
  });
}

Candidate candidate_from(const ScriptException& exception) {
  Candidate candidate;
  candidate.symptom = exception.sightings.front().symptom;
  candidate.leaf = *exception.as_raised.leaf;
  candidate.variant = &exception.as_raised;
  candidate.strength = Strength::kWeak;
  candidate.lead = &exception.sightings.front();
  for (const Sighting& sighting : exception.sightings) {
    candidate.sightings.push_back(&sighting);
    if (sighting.rank) candidate.ranks.insert(*sighting.rank);
  }
  return candidate;
}

// The rank logged the exception and trained on.
bool is_outlived(const RaisedException& exception, std::span<const LogText> logs,
                 const LineSources& sources) {
  constexpr std::size_t kLookAhead = std::size_t{64} << 10;
  const std::string_view bytes = logs[exception.log].bytes;
  const std::optional<int> rank = sources.at(exception.log, exception.at).rank;
  bool goes_on_after = false;
  for_each_line(bytes, exception.at.end, std::min(bytes.size(), exception.at.end + kLookAhead),
                [&](std::string_view line, LineSpan span) {
                  if (goes_on_after || !goes_on(line)) return;
                  goes_on_after = sources.at(exception.log, span).rank == rank;
                });
  return goes_on_after;
}

// Launchers copy what a rank says and what it complains of as they come: progress that stands behind an
// exception may have been printed before it. That the launcher saw a process fail later tells.
bool is_followed_by_a_failure(const RaisedException& exception, std::span<const Sighting> sightings) {
  return std::ranges::any_of(sightings, [&](const Sighting& seen) {
    return seen.pattern->role == Role::kWrapper && seen.log == exception.log &&
           seen.line.begin > exception.at.begin;
  });
}

// What repairs a script, then what repairs faults of the leaf; that of no leaf in particular is for other
// stages.
Variant variant_for(const Catalogue& catalogue, model::Leaf leaf) {
  Variant variant;
  variant.leaf = leaf;
  variant.fixes = catalogue.at(model::codes::kScriptException).fixes;
  if (leaf == model::Leaf::kRunOther) return variant;
  const std::vector<model::Fix>& others = leaf_entry(catalogue, leaf).fixes;
  std::ranges::copy_if(others, std::back_inserter(variant.fixes), [&](const model::Fix& fix) {
    return std::ranges::find(variant.fixes, fix) == variant.fixes.end();
  });
  return variant;
}

}  // namespace

std::optional<ScriptException> script_exception_in(const Catalogue& catalogue, std::span<const LogText> logs,
                                                   std::span<const RaisedException> raised,
                                                   std::span<const Sighting> sightings,
                                                   const LineSources& sources) {
  constexpr int kMaxLooks = 64;  // a job that outlives so many logs them as a habit
  int looks = 0;
  auto first = std::ranges::find_if(raised, [&](const RaisedException& exception) {
    return is_the_scripts_own(exception) && ++looks <= kMaxLooks && !is_outlived(exception, logs, sources);
  });
  if (first == raised.end()) {
    first = std::ranges::find_if(raised, [&](const RaisedException& exception) {
      return is_the_scripts_own(exception) && is_followed_by_a_failure(exception, sightings);
    });
  }
  if (first == raised.end()) return std::nullopt;
  ScriptException found;
  found.as_raised = variant_for(catalogue, leaf_of(*first));
  const std::string place = place_of(*first);
  for (const RaisedException& exception : raised) {
    if (exception.kind != first->kind || place_of(exception) != place) continue;
    Sighting sighting;
    sighting.symptom = &catalogue.at(model::codes::kScriptException);
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

}  // namespace lockstep::logs
