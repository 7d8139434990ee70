// Who is measured when: in each round a host is part of one pair at most, so that no measure disturbs
// another.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lockstep::probe {

using MeasuringRound = std::vector<std::pair<std::size_t, std::size_t>>;  // from, to

// Every ordered pair once.
std::vector<MeasuringRound> measuring_rounds(std::size_t hosts);

}  // namespace lockstep::probe
