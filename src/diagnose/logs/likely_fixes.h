// What the arbiter thinks repairs a fault, in the words of the catalogue.
#pragma once

#include <span>
#include <vector>

#include "catalogue/catalogue.h"
#include "diagnose/logs/arbiter.h"
#include "diagnose/logs/candidate.h"
#include "model/fix.h"

namespace lockstep::logs {

// An entry that is clear about its line knows what mends it: others stand below its first.
enum class FirstFix { kOfEntry, kOfAny };

// `fixes` of an entry, the likeliest first, with those among the first that the entry does not have: of other
// entries that know lines of the log, else of the leaves that the arbiter takes it for.
std::vector<model::Fix> likely_fixes(const catalogue::Catalogue& catalogue, const Opinion& opinion,
                                     std::span<const Candidate> candidates, std::vector<model::Fix> fixes,
                                     FirstFix first = FirstFix::kOfAny);

}  // namespace lockstep::logs
