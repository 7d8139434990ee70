// The variables by which a launcher tells a process which rank it is, and what a rank is told that Lockstep's
// own service starts in a launcher's place.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::launchers {

struct RankVariables {
  std::string_view rank;
  std::string_view local_rank;  // empty: the launcher does not tell
  std::string_view world_size;  // the same
};

#define LOCKSTEP_RANK_VARIABLES(launcher, rank, local_rank, world_size) \
  inline constexpr RankVariables k##launcher##Rank{rank, local_rank, world_size};
#define LOCKSTEP_STEP_VARIABLES LOCKSTEP_RANK_VARIABLES
#include "launchers/rank_variables.def"
#undef LOCKSTEP_RANK_VARIABLES
#undef LOCKSTEP_STEP_VARIABLES

// In the order in which they are asked.
inline constexpr const RankVariables* kAllRankVariables[] = {
#define LOCKSTEP_RANK_VARIABLES(launcher, rank, local_rank, world_size) &k##launcher##Rank,
#define LOCKSTEP_STEP_VARIABLES LOCKSTEP_RANK_VARIABLES
#include "launchers/rank_variables.def"
#undef LOCKSTEP_RANK_VARIABLES
#undef LOCKSTEP_STEP_VARIABLES
};

// One rank of a job, as whoever starts it knows it.
struct RankSeat {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_size = 1;
  int node = 0;
  int nodes = 1;
  std::string host = {};       // this rank's
  std::string interface = {};  // of it, towards the others
  std::string meeting_address = {};
  int meeting_port = 0;
};
using NamedValues = std::vector<std::pair<std::string, std::string>>;

NamedValues torchrun_variables(const RankSeat& seat);    // RANK, WORLD_SIZE and their kin
NamedValues horovodrun_variables(const RankSeat& seat);  // of Horovod over Gloo
// TF_CONFIG of a worker. `task` is its number, or what will become it.
std::string tf_config_text(const std::vector<std::string>& servers, std::string_view task);

}  // namespace lockstep::launchers
