// A communicator that some of its members use and another never made.
#pragma once

#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"

namespace lockstep::ranks {

struct UnmadeCommunicator {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  std::vector<int> without;  // members that list their communicators, and not this one
  EventPlace first_use;      // by a member that has it
};

std::vector<UnmadeCommunicator> find_unmade_communicators(const model::Job& job, const Alignment& alignment);

model::Finding finding_of(const model::Job& job, const UnmadeCommunicator& unmade);

}  // namespace lockstep::ranks
