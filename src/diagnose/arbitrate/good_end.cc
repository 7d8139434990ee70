#include "diagnose/arbitrate/good_end.h"

#include <algorithm>

#include "model/fatal_leaf.h"

namespace lockstep::diagnose {
namespace {

bool is_a_guess(const model::Finding& finding) {
  return finding.code.starts_with("leaf.");
}

}  // namespace

bool all_ended_well(const model::Job& job) {
  return !job.ranks.empty() && job.world_size == static_cast<int>(job.ranks.size()) &&
         std::ranges::all_of(job.ranks, [](const model::RankHistory& history) {
           return history.rank.end == model::RankEnd::kClean;
         });
}

void drop_what_they_got_over(std::vector<model::Finding>& from_logs) {
  std::erase_if(from_logs, [](const model::Finding& finding) {
    return model::is_fatal(finding.leaf) || is_a_guess(finding);
  });
}

}  // namespace lockstep::diagnose
