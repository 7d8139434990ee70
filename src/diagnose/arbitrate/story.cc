#include "diagnose/arbitrate/story.h"

#include <algorithm>
#include <utility>

namespace lockstep::diagnose {
namespace {

std::vector<Claim> claims_at(Place place, std::vector<model::Finding> findings) {
  std::vector<Claim> claims;
  for (model::Finding& finding : findings) claims.push_back({.finding = std::move(finding), .place = place});
  return claims;
}

using Order = std::vector<const Claim*>;

bool precedes(const Order& order, const Claim* one, const Claim* other) {
  return std::ranges::find(order, one) < std::ranges::find(order, other);
}

}  // namespace

void Story::note(model::Outcome outcome, const model::FindingCode& finding, const model::FindingCode& other) {
  decisions.push_back({.rule = {}, .finding = finding, .outcome = outcome, .other = other, .reason = {}});
}

std::vector<const Claim*> Story::in_order() const {
  Order all;
  for (const Claim& claim : ranks) all.push_back(&claim);
  for (const Claim& claim : logs) all.push_back(&claim);
  std::ranges::stable_sort(all, {}, [](const Claim* claim) { return claim->place; });
  return all;
}

void Story::move_to(Claim& claim, Place place) {
  const Order before = in_order();
  claim.place = place;
  const Order after = in_order();
  for (const Claim* other : after) {
    if (precedes(before, other, &claim) && precedes(after, &claim, other))
      return note(model::Outcome::kOrderedBefore, claim.finding.code, other->finding.code);
  }
  for (auto other = after.rbegin(); other != after.rend(); ++other) {
    if (precedes(before, &claim, *other) && precedes(after, *other, &claim))
      return note(model::Outcome::kOrderedBehind, claim.finding.code, (*other)->finding.code);
  }
}

std::vector<Claim> claims_of_ranks(std::vector<model::Finding> findings) {
  return claims_at(Place::kShown, std::move(findings));
}

std::vector<Claim> claims_of_logs(std::vector<model::Finding> findings) {
  return claims_at(Place::kDoubtful, std::move(findings));
}

}  // namespace lockstep::diagnose
