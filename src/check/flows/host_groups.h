// Hosts that can be exchanged without changing who reaches whom.
#pragma once

#include <vector>

#include "network/pairs.h"

namespace lockstep::flows {

enum class Cell : std::uint8_t { kReached, kRefused, kDoubtful };

Cell cell_at(const network::BitMatrix& blocked, const network::BitMatrix& unknown, std::size_t source,
             std::size_t destination);

// Groups in the order of their first hosts; every host is in one. Time grows with the number of pairs, also
// where all groups differ.
std::vector<std::vector<std::size_t>> groups_of_hosts(const network::BitMatrix& blocked,
                                                      const network::BitMatrix& unknown);

}  // namespace lockstep::flows
