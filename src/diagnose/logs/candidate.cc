#include "diagnose/logs/candidate.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "model/leaf.h"

namespace lockstep::logs {
namespace {

using catalogue::Printer;
using catalogue::Role;
using catalogue::Strength;
using catalogue::Symptom;

int order_of(Role role) {
  return role == Role::kOrigin ? 0 : role == Role::kCascade ? 1 : 2;
}

std::optional<std::int64_t> first_time_of(const Candidate& candidate) {
  std::optional<std::int64_t> first;
  for (const Sighting* sighting : candidate.sightings) {
    if (!sighting->time_ns) return std::nullopt;
    first = std::min(first.value_or(*sighting->time_ns), *sighting->time_ns);
  }
  return first;
}

bool is_printed_before(const Candidate& one, const Candidate& other) {
  const Sighting& first = *one.sightings.front();
  const Sighting& second = *other.sightings.front();
  return first.log == second.log && first.line.begin < second.line.begin;
}

bool shares_no_rank(const Candidate& one, const Candidate& other) {
  return std::ranges::none_of(one.ranks, [&](int rank) { return other.ranks.contains(rank); });
}

// All but those that only slow, stop or spoil a job.
bool ends_its_rank(model::Leaf leaf) {
  const std::string_view id = model::entry_of(leaf).id;
  return !id.starts_with("PERF-") && !id.ends_with("-HANG") && !id.ends_with("-PROTO");
}

// Who waits in vain for another rank says nothing of what that one came to grief on: a rank that ended, or an
// exception that stands before the first complaint.
bool is_outdone_by_another_rank(const Candidate& waiting, const std::vector<Candidate>& all) {
  if (waiting.symptom->printer != Printer::kVictim) return false;
  return std::ranges::any_of(all, [&](const Candidate& other) {
    if (other.role != Role::kOrigin || other.symptom->printer == Printer::kVictim) return false;
    const bool is_elsewhere =
        !waiting.ranks.empty() && !other.ranks.empty() && shares_no_rank(waiting, other);
    if (is_elsewhere && other.strength >= waiting.strength) return true;
    return other.strength >= Strength::kWeak && ends_its_rank(other.leaf) &&
           (is_elsewhere || (other.ranks.empty() && is_printed_before(other, waiting)));
  });
}

// Within one log the earlier line is the earlier event; files of their own for each rank have a common order
// only where all lines have times.
void sort_by_likelihood(std::vector<Candidate>& candidates) {
  const bool timed =
      std::ranges::all_of(candidates, [](const Candidate& one) { return first_time_of(one).has_value(); });
  std::set<const Symptom*> outdone;
  for (const Candidate& candidate : candidates) {
    if (is_outdone_by_another_rank(candidate, candidates)) outdone.insert(candidate.symptom);
  }
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& candidate) {
    const Sighting& first = *candidate.sightings.front();
    const bool is_outdone = outdone.contains(candidate.symptom);
    const Strength strength = is_outdone ? std::min(candidate.strength, Strength::kHint) : candidate.strength;
    return std::tuple(order_of(candidate.role), -static_cast<int>(strength), is_outdone,
                      timed ? first_time_of(candidate).value_or(0) : 0, first.line.begin, first.log);
  });
}

// What a sighting tells beyond that the symptom is there.
auto amount_told(const Sighting& sighting) {
  return std::tuple(sighting.strength(), sighting.variant != nullptr, !sighting.captures.empty());
}

void add(Candidate& candidate, const Sighting& sighting) {
  const Role role = sighting.pattern->role;
  if (candidate.lead == nullptr || order_of(role) < order_of(candidate.role)) candidate.role = role;
  if (candidate.lead == nullptr || amount_told(sighting) > amount_told(*candidate.lead)) {
    candidate.lead = &sighting;
    candidate.strength = sighting.strength();
    candidate.leaf = sighting.leaf();
    candidate.variant = sighting.variant;
  }
  candidate.sightings.push_back(&sighting);
  if (sighting.rank) candidate.ranks.insert(*sighting.rank);
}

}  // namespace

std::vector<Candidate> candidates_from(std::span<const Sighting> sightings) {
  std::vector<Candidate> candidates;
  for (const Sighting& sighting : sightings) {
    auto found = std::ranges::find(candidates, sighting.symptom, &Candidate::symptom);
    if (found == candidates.end()) {
      Candidate fresh;
      fresh.symptom = sighting.symptom;
      found = candidates.insert(candidates.end(), std::move(fresh));
    }
    add(*found, sighting);
  }
  sort_by_likelihood(candidates);
  return candidates;
}

}  // namespace lockstep::logs
