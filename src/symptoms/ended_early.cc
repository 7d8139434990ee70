#include "symptoms/ended_early.h"

#include <algorithm>

namespace lockstep::symptoms {

bool is_of_a_rank_that_ended_early(const Candidate& complaint, const model::Finding& finding,
                                   const std::set<int>& done) {
  return complaint.symptom->printer == Printer::kVictim && finding.root_ranks.size() == 1 &&
         done.contains(finding.root_ranks.front()) &&
         std::ranges::none_of(complaint.ranks, [&](int rank) { return done.contains(rank); });
}

void say_that_it_ended_early(const Catalogue& catalogue, model::Finding& finding) {
  const Symptom& entry = catalogue.at("desync.ended_early");
  finding.leaf = entry.leaf;
  finding.code = entry.code;
  finding.scope = entry.scope;
  finding.title = entry.title;
  finding.explanation =
      entry.meaning + " Its own log says that it is done; the others only say that it is gone.";
  finding.fixes = entry.fixes;
}

}  // namespace lockstep::symptoms
