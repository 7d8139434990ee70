#include "diagnose/logs/ended_early.h"

#include <algorithm>

#include "model/finding_code.h"

namespace lockstep::logs {

std::vector<int> who_ended_early(const Candidate& complaint, const model::Finding& finding,
                                 const std::set<int>& done) {
  const bool is_about_others =
      complaint.symptom->printer == Printer::kVictim || complaint.role == Role::kCascade;
  const bool ends_with_them =
      std::ranges::any_of(complaint.ranks, [&](int rank) { return done.contains(rank); });
  if (!is_about_others || ends_with_them) return {};
  const std::vector<int>& named = finding.root_ranks;
  if (named.size() == 1 && done.contains(named.front())) return named;
  const bool are_fewer = done.size() <= complaint.ranks.size();
  return named.empty() && are_fewer ? std::vector<int>(done.begin(), done.end()) : std::vector<int>();
}

void say_who_ended_early(const Catalogue& catalogue, std::vector<int> ranks, const std::set<int>& complaining,
                         model::Finding& finding) {
  if (finding.root_ranks.empty()) {
    finding.root_ranks = std::move(ranks);
    finding.victim_ranks.assign(complaining.begin(), complaining.end());
  }
  const Symptom& entry = catalogue.at(model::codes::kEndedEarly);
  finding.leaf = entry.leaf;
  finding.code = entry.code;
  finding.scope = entry.scope;
  finding.title = entry.title;
  finding.explanation =
      entry.meaning + " Its own log says that it is done; the others only say that it is gone.";
  finding.fixes = entry.fixes;
}

}  // namespace lockstep::logs
