// One job from what each input tells.
//
// Every reader makes a small Job of its own file, with its own ids. merge() gives equal things one id, joins
// what several files tell about one rank, finds the number of a rank that its file does not name (same host
// and process), keeps only the last attempt of a job that was restarted, and resolves communicators whose
// members one file does not know but another does. The result does not depend on the order of the parts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/job.h"

namespace lockstep::model {

Job merge(std::vector<Job> parts);

// Which communicators of different inputs are the same.
//
// A name is not enough: frameworks give one name to groups of different ranks. Members are, where they are
// known; an input that knows only the name means the group of that name that has its rank in it.
struct MergedCommunicators {
  std::vector<Communicator> all;  // ascending by name, then members
  std::vector<std::vector<CommunicatorId>> ids_by_part;
};

MergedCommunicators merge_communicators(const std::vector<Job>& parts);

// Processes that each took themselves for the whole job, at the same time: the launcher's ranks never met.
// Parts that are rank 0 of 1 and whose times overlap with another such part; empty or at least two. A job of
// one rank that was restarted is none: its lives come one after another.
std::vector<std::size_t> world_size_one(std::span<const Job> parts);

}  // namespace lockstep::model
