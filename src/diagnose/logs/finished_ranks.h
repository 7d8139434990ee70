// Ranks whose own logs say that they came to their end: what they printed on the way, they got over.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/candidate.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/line_sources.h"
#include "model/finding.h"

namespace lockstep::logs {

// A rank that the others miss and whose own log says that it is done: it was not lost, it had less to do.

// `finding` is what is said of `complaint`; `done`: the ranks that said they are done. Of those who complain
// none may be: ranks that end at about the same time lose each other, too. Where the complaint names nobody,
// as Horovod's, those few who are done are meant. Empty: nobody is.
std::vector<int> who_ended_early(const Candidate& complaint, const model::Finding& finding,
                                 const std::set<int>& done);

// Keeps its evidence, and its ranks where it has any.
void describe_who_ended_early(const catalogue::Catalogue& catalogue, std::vector<int> ranks,
                              const std::set<int>& complaining, model::Finding& finding);

// Each of them has a log, its own or one of several ranks, in which its last line says so. Standard output
// tells it, while an error that was caught and logged is the last line of standard error for ever.
std::set<int> finished_ranks(std::span<const LogText> logs, const LineSources& sources);
bool every_rank_finished(std::span<const LogText> logs, const LineSources& sources,
                         const std::set<int>& ranks);

}  // namespace lockstep::logs
