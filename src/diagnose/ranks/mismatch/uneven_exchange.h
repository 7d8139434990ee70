// An all_to_all in which the members together send another number of elements than they expect to receive.
//
// How much each sends to each is not recorded, and may differ, so the sums are all that can be compared.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"

namespace lockstep::ranks {

struct UnevenExchange {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  std::uint64_t sequence = 0;
  std::int64_t elements_sent = 0;
  std::int64_t elements_received = 0;
  std::vector<int> ranks;
  EventPlace first;
};

// The first of each communicator, where every member's call is known.
std::vector<UnevenExchange> find_uneven_exchanges(const model::Job& job, const Alignment& alignment);

model::Finding finding_of(const model::Job& job, const UnevenExchange& exchange);

}  // namespace lockstep::ranks
