#include "diagnose/logs/likely_fixes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "diagnose/logs/finding_text.h"
#include "model/finding_code.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using model::Fix;
using model::FixPattern;

// What a reader tries before he gives up.
constexpr std::size_t kTried = 3;
// A repair that is less likely than this is not worth telling where the entry does not name it.
constexpr double kWorthTelling = 0.1;
// What a place further back in the catalogue's order takes from a fix: of equally likely ones its order
// holds. The order of an entry that is clear about its line counts for more; with 0.5 the first fix was right
// less often on development.jsonl and as often elsewhere.
constexpr double kPlace = 0.9;
constexpr double kPlaceInClear = 0.3;

std::vector<FixPattern> by_likelihood(const Opinion& opinion) {
  std::vector<FixPattern> patterns;
  for (const model::FixPatternEntry& entry : model::all_fix_patterns()) patterns.push_back(entry.pattern);
  std::ranges::stable_sort(patterns, std::greater(), [&](FixPattern pattern) {
    return opinion.fixes[static_cast<std::size_t>(pattern)];
  });
  return patterns;
}

std::vector<model::Leaf> leaves_by_likelihood(const Opinion& opinion) {
  std::vector<model::Leaf> leaves;
  for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) leaves.push_back(static_cast<model::Leaf>(leaf));
  std::ranges::stable_sort(leaves, std::greater(), [&](model::Leaf leaf) { return opinion.of(leaf); });
  return leaves;
}

const Fix* with_pattern(std::span<const Fix> fixes, FixPattern pattern) {
  const auto found = std::ranges::find(fixes, pattern, &Fix::pattern);
  return found == fixes.end() ? nullptr : &*found;
}

const Fix* find_fix(const Catalogue& catalogue, const Opinion& opinion, std::span<const Candidate> candidates,
                    FixPattern pattern) {
  for (const Candidate& candidate : candidates) {
    if (const Fix* fix = with_pattern(candidate.symptom->fixes, pattern)) return fix;
  }
  for (const model::Leaf leaf : leaves_by_likelihood(opinion)) {
    if (const Fix* fix = with_pattern(leaf_entry(catalogue, leaf).fixes, pattern)) return fix;
  }
  return nullptr;
}

}  // namespace

std::vector<Fix> likely_fixes(const Catalogue& catalogue, const Opinion& opinion,
                              std::span<const Candidate> candidates, std::vector<Fix> fixes, FirstFix first) {
  const bool is_clear = first == FirstFix::kOfEntry;
  const auto likelihood = [&](FixPattern pattern) {
    return opinion.fixes[static_cast<std::size_t>(pattern)];
  };
  std::vector<std::pair<double, Fix>> weighed;
  double share = 1;
  for (const Fix& fix : fixes) {
    weighed.emplace_back(share * likelihood(fix.pattern), fix);
    share *= is_clear ? kPlaceInClear : kPlace;
  }
  if (is_clear) share = kPlaceInClear;  // what is added counts as if in the second place
  const std::vector<FixPattern> likeliest = by_likelihood(opinion);
  for (const FixPattern pattern : std::span(likeliest).first(kTried)) {
    if (likelihood(pattern) < kWorthTelling || with_pattern(fixes, pattern) != nullptr) continue;
    if (const Fix* fix = find_fix(catalogue, opinion, candidates, pattern))
      weighed.emplace_back(share * likelihood(pattern), *fix);
  }
  std::ranges::stable_sort(weighed, std::greater(), &std::pair<double, Fix>::first);
  if (is_clear) {
    const auto own = std::ranges::find_if(weighed, [&](const std::pair<double, Fix>& fix) {
      return with_pattern(fixes, fix.second.pattern) != nullptr;
    });
    if (own != weighed.end()) std::rotate(weighed.begin(), own, own + 1);
  }
  std::vector<Fix> ordered;
  // Several fixes of one pattern stand behind the first of each: who tries three tries three kinds.
  std::vector<Fix> further;
  for (auto& [weight, fix] : weighed) {
    const bool is_new = with_pattern(ordered, fix.pattern) == nullptr;
    (is_new ? ordered : further).push_back(std::move(fix));
  }
  ordered.insert(ordered.begin() + static_cast<std::ptrdiff_t>(std::min(kTried, ordered.size())),
                 further.begin(), further.end());
  return ordered;
}

}  // namespace lockstep::logs
