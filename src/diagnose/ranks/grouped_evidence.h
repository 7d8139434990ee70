// Equal things on many ranks as one line: a thousand ranks that wait at the same place are one piece of
// evidence.
#pragma once

#include <span>
#include <vector>

#include "diagnose/ranks/align.h"
#include "model/evidence.h"

namespace lockstep::ranks {

// Events with the same call, state and stack become one entry that names all their ranks and shows the file
// of the first. Largest group first; at most `most` groups, the last of which says what was left out.
std::vector<model::Evidence> grouped_evidence(const model::Job& job, std::span<const EventPlace> places,
                                              std::size_t most = 6);

}  // namespace lockstep::ranks
