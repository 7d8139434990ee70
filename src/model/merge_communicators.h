// Which communicators of different inputs are the same.
//
// A name is not enough: frameworks give one name to groups of different ranks. Members are, where they are
// known; an input that knows only the name means the group of that name that has its rank in it.
#pragma once

#include <vector>

#include "model/job.h"

namespace lockstep::model {

struct MergedCommunicators {
  std::vector<Communicator> all;  // ascending by name, then members
  std::vector<std::vector<CommunicatorId>> ids_by_part;
};

MergedCommunicators merge_communicators(const std::vector<Job>& parts);

}  // namespace lockstep::model
