// horovodrun, of Horovod 0.19 to 0.28.
#include "config/launchers/tables.h"

namespace lockstep::config {
namespace {

constexpr FlagRules kRules{.may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kFlags[] = {
    {"-np --num-proc", 1, Fate::kDrop},
    {"--min-np --min-num-proc", 1, Fate::kDrop},
    {"--max-np --max-num-proc", 1, Fate::kDrop},
    {"-H --hosts", 1, Fate::kDrop},
    {"-hostfile --hostfile", 1, Fate::kDrop},
    {"--host-discovery-script", 1, Fate::kDrop},
    {"--slots-per-host --slots", 1, Fate::kDrop},
    {"--elastic-timeout", 1, Fate::kDrop},
    {"--reset-limit", 1, Fate::kDrop},
    {"--blacklist-cooldown-range", 2, Fate::kDrop},
    {"--network-interfaces --network-interface", 1, Fate::kDrop},
    {"-p --ssh-port", 1, Fate::kDrop},
    {"-i --ssh-identity-file", 1, Fate::kDrop},
    {"--output-filename", 1, Fate::kDrop},
    {"--mpi-args", 1, Fate::kDrop},
    {"--binding-args", 1, Fate::kDrop},
    {"--hierarchical-allreduce --hierarchical-allgather --torus-allreduce", 0, Fate::kDrop},
    {"--no-hierarchical-allreduce --no-hierarchical-allgather --no-torus-allreduce", 0, Fate::kDrop},
    {"--jsrun", 0, Fate::kRefuse, "jsrun takes its ranks from the machine's resource sets"},
    {"--gloo --mpi --tcp --disable-cache --verbose", 0},
    {"--start-timeout --config-file --fusion-threshold-mb --cycle-time-ms --cache-capacity", 1},
    {"--autotune --no-autotune", 0},
    {"--autotune-log-file --autotune-warmup-samples --autotune-steps-per-sample", 1},
    {"--autotune-bayes-opt-max-samples --autotune-gaussian-process-noise", 1},
    {"--timeline-filename", 1},
    {"--timeline-mark-cycles --no-timeline-mark-cycles --stall-check --no-stall-check", 0},
    {"--stall-check-warning-time-seconds --stall-check-shutdown-time-seconds", 1},
    {"--mpi-threads-disable --no-mpi-threads-disable", 0},
    {"--num-nccl-streams --thread-affinity --gloo-timeout-seconds --log-level", 1},
    {"--log-with-timestamp --log-without-timestamp --log-hide-timestamp --no-log-hide-timestamp", 0},
    {"-prefix-timestamp --prefix-output-with-timestamp", 0},
};

}  // namespace

const LauncherTable kHorovodrunFlags{"horovodrun", kFlags, kRules};

}  // namespace lockstep::config
