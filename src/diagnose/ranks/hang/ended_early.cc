#include "diagnose/ranks/hang/ended_early.h"

#include <algorithm>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"

namespace lockstep::ranks {

void explain_by_uneven_steps(const UnevenSteps& uneven, model::Finding& finding) {
  const bool is_about_missing_ranks =
      finding.code == "desync.missing_rank" || finding.code == "desync.ended_early";
  if (!uneven.counts_steps || !is_about_missing_ranks || finding.root_ranks.empty()) return;
  const bool all_ended = std::ranges::all_of(
      finding.root_ranks, [&](int rank) { return std::ranges::binary_search(uneven.ended_early, rank); });
  if (!all_ended) return;
  finding.code = "desync.ended_early";
  finding.explanation +=
      fmt::format("{} ended after {} steps; the ranks that wait are in step {}. ",
                  ranks_in_words(finding.root_ranks), uneven.steps_of_early, uneven.steps_of_waiting);
  finding.fixes = catalogue::fixes_for(finding.code);
}

}  // namespace lockstep::ranks
