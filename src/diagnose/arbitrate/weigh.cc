#include "diagnose/arbitrate/weigh.h"

#include <algorithm>

#include "model/finding_code.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;

bool is_confirmed(const Finding& finding, const std::vector<Claim>& ranks) {
  return is_printed(finding) && finding.leaf != Leaf::kRunOther &&
         std::ranges::any_of(ranks, [&](const Claim& ended) {
           return only_tells_how_a_process_ended(ended.finding) && ended.finding.leaf == finding.leaf;
         });
}

}  // namespace

bool is_about_waiting(const Finding& finding) {
  switch (finding.leaf) {
    case Leaf::kSetupHang:
    case Leaf::kPrepHang:
    case Leaf::kPerfHang:
    case Leaf::kRunComm:
    case Leaf::kPrepComm:
      return true;
    default:
      return false;
  }
}

bool is_printed(const Finding& finding) {
  return !finding.evidence.empty();
}

bool names_no_rank(const Finding& finding) {
  return finding.root_ranks.empty() &&
         std::ranges::all_of(finding.evidence, [](const auto& one) { return !one.rank; });
}

bool only_tells_how_a_process_ended(const Finding& finding) {
  return finding.code.is(model::CodeFamily::kProcess);
}

bool is_a_lost_rank(const Finding& finding) {
  return finding.code == model::codes::kDeadRank || finding.code == model::codes::kFailedRank;
}

bool is_sure(const Finding& finding, const std::vector<Claim>& ranks) {
  const bool is_a_guess = finding.code.is(model::CodeFamily::kLeaf);
  return !is_a_guess && (finding.confidence >= kSure || is_confirmed(finding, ranks));
}

Finding* proof_of_waiting(std::vector<Claim>& ranks) {
  const auto proof = std::ranges::find_if(ranks, [&](const Claim& claim) {
    return is_sure(claim.finding, ranks) && is_about_waiting(claim.finding);
  });
  return proof == ranks.end() ? nullptr : &proof->finding;
}

bool is_clear(const std::vector<Finding>& findings) {
  return !findings.empty() && findings.front().confidence >= kClear;
}

}  // namespace lockstep::diagnose
