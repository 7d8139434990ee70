// A rank that the others miss and whose own log says that it is done: it was not lost, it had less to do.
#pragma once

#include <set>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/candidate.h"
#include "model/finding.h"

namespace lockstep::logs {

// `finding` is what is said of `complaint`; `done`: the ranks that said they are done. Of those who complain
// none may be: ranks that end at about the same time lose each other, too. Where the complaint names nobody,
// as Horovod's, those few who are done are meant. Empty: nobody is.
std::vector<int> who_ended_early(const Candidate& complaint, const model::Finding& finding,
                                 const std::set<int>& done);

// Keeps its evidence, and its ranks where it has any.
void say_who_ended_early(const catalogue::Catalogue& catalogue, std::vector<int> ranks,
                         const std::set<int>& complaining, model::Finding& finding);

}  // namespace lockstep::logs
