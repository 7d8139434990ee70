#include "rank_environment.h"

#include <stdlib.h>

#include "recorder/core/text.h"
#include "tf_config.h"

namespace lockstep::recorder {
namespace {

struct Launcher {
  const char* rank;
  const char* local_rank;
  const char* world_size;
};

constexpr Launcher kLaunchers[] = {
#define LOCKSTEP_RANK_VARIABLES(launcher, rank, local_rank, world_size) {rank, local_rank, world_size},
#define LOCKSTEP_STEP_VARIABLES(launcher, rank, local_rank, world_size)
#include "launchers/rank_variables.def"
#undef LOCKSTEP_RANK_VARIABLES
#undef LOCKSTEP_STEP_VARIABLES
};
constexpr Launcher kStep =
#define LOCKSTEP_RANK_VARIABLES(launcher, rank, local_rank, world_size)
#define LOCKSTEP_STEP_VARIABLES(launcher, rank, local_rank, world_size) {rank, local_rank, world_size};
#include "launchers/rank_variables.def"
#undef LOCKSTEP_RANK_VARIABLES
#undef LOCKSTEP_STEP_VARIABLES

    constexpr const char *
    kRestartCounts[] = {"LOCKSTEP_RESTART", "TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"};

std::int32_t number_in(const char* variable) {
  const char* text = ::getenv(variable);
  std::uint64_t number = 0;
  if (text == nullptr) return -1;
  const char* end = parse_number(text, number);
  return end != nullptr && *end == '\0' && number <= INT32_MAX ? static_cast<std::int32_t>(number) : -1;
}

RankIdentity identity_by(const Launcher& launcher) {
  return {number_in(launcher.rank), number_in(launcher.local_rank), number_in(launcher.world_size)};
}

}  // namespace

RankIdentity rank_from_environment() {
  for (const Launcher& launcher : kLaunchers) {
    if (const RankIdentity identity = identity_by(launcher); identity.rank >= 0) return identity;
  }
  if (const char* config = ::getenv("TF_CONFIG")) {
    if (const RankIdentity identity = rank_from_tf_config(config); identity.rank >= 0) return identity;
  }
  return identity_by(kStep);
}

std::uint32_t restarts_from_environment() {
  for (const char* variable : kRestartCounts) {
    if (const std::int32_t count = number_in(variable); count >= 0) return static_cast<std::uint32_t>(count);
  }
  return 0;
}

}  // namespace lockstep::recorder
