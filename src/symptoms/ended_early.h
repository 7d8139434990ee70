// A rank that the others miss and whose own log says that it is done: it was not lost, it had less to do.
#pragma once

#include <set>
#include <span>

#include "model/finding.h"
#include "symptoms/candidate.h"
#include "symptoms/catalogue.h"

namespace lockstep::symptoms {

// `finding` is what is said of `complaint`; `done`: the ranks that said they are done. Of those who complain
// none may be: ranks that end at about the same time lose each other, too.
bool is_of_a_rank_that_ended_early(const Candidate& complaint, const model::Finding& finding,
                                   const std::set<int>& done);

// Keeps its ranks and its evidence.
void say_that_it_ended_early(const Catalogue& catalogue, model::Finding& finding);

}  // namespace lockstep::symptoms
