// Who a launcher says this process is. Every launcher has variables of its own; the one that knows the ranks
// of the training job best comes first: torchrun under srun, for example, is one process of the step for each
// node, and only its RANK tells the rank.
#pragma once

#include <cstdint>

namespace lockstep::recorder {

struct RankIdentity {
  std::int32_t rank = -1;  // -1: not known, as in the others
  std::int32_t local_rank = -1;
  std::int32_t world_size = -1;
};

RankIdentity rank_from_environment();

// How often the launcher had restarted the job before.
std::uint32_t restarts_from_environment();

}  // namespace lockstep::recorder
