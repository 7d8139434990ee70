// How the workers of a job fit on the nodes of a cluster.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "service/engine/cluster.h"

namespace lockstep::service {

// What each worker gets, with the reasons. `whose`: the nodes in question, which have GPUs or not.
void choose_resources_of_workers(Job& job, std::string_view whose, bool have_gpus);

// How many workers a node with so much has room for.
int room_in(const Resources& node, const Resources& each);

// How many nodes, with room for so many workers on each, can take all workers evenly; 0: none can. `asked`:
// exactly so many; 0: as few as can be.
int nodes_for(int workers, const std::vector<int>& rooms, int asked);

// An elastic job takes what it can get, on fewer nodes than asked for if need be.
std::optional<Cluster::Share> largest_share(const JobSpec& spec, const std::vector<int>& rooms);

}  // namespace lockstep::service
