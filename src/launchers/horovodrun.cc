// horovodrun, of Horovod 0.19 to 0.28.
#include "launchers/launcher.h"
#include "launchers/one_rank.h"
#include "launchers/place.h"
#include "launchers/rank_variables.h"

namespace lockstep::launchers {
namespace {

constexpr FlagRules kHorovodrunRules{.may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kHorovodrunFlags[] = {
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
constexpr LauncherTable kHorovodrunTable{"horovodrun", kHorovodrunFlags, kHorovodrunRules};

// What each of a group says, said by the first.
constexpr std::string_view kHorovodrunSameMeaning[] = {
    "np num_proc",          "min_np min_num_proc",
    "max_np max_num_proc",  "hosts H",
    "ssh_port p",           "network_interfaces network_interface",
    "slots_per_host slots",
};

constexpr std::string_view kHorovodrunVariables[] = {
    "HOROVOD_RANK",       "HOROVOD_SIZE",
    "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE",
    "HOROVOD_CROSS_RANK", "HOROVOD_CROSS_SIZE",
    "HOROVOD_CONTROLLER", "HOROVOD_GLOO_RENDEZVOUS_ADDR",
    "HOROVOD_HOSTNAME",   "HOROVOD_GLOO_RENDEZVOUS_PORT",
    "HOROVOD_ELASTIC",    "HOROVOD_CPU_OPERATIONS",
};

Result<void> reduce_for_horovodrun(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, kHorovodrunTable));
  add_launcher(control, "horovodrun");
  append(control.command, launched.head);
  append(control.command, {"-np", "1", "-H", "localhost:1"});
  append(control.command, split.kept);
  append(control.left_out, split.dropped);
  return reduce_command(split.program, launch, control);
}

}  // namespace

std::optional<JobPlace> place_by_horovod(const Launch& launch) {
  const auto rank = number(launch.environment, kHorovodRank.rank);
  const auto size = number(launch.environment, kHorovodRank.world_size);
  if (!rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "horovodrun"};
  const auto host = variable(launch.environment, "HOROVOD_GLOO_RENDEZVOUS_ADDR");
  const auto port = variable(launch.environment, "HOROVOD_GLOO_RENDEZVOUS_PORT");
  if (host && port) place.head = base::HostPort{.host = *host, .port = port_from("horovodrun " + *port)};
  return place;
}

NamedValues horovodrun_variables(const RankSeat& seat) {
  return {{std::string(kHorovodRank.rank), std::to_string(seat.rank)},
          {std::string(kHorovodRank.world_size), std::to_string(seat.world_size)},
          {std::string(kHorovodRank.local_rank), std::to_string(seat.local_rank)},
          {"HOROVOD_LOCAL_SIZE", std::to_string(seat.local_size)},
          {"HOROVOD_CROSS_RANK", std::to_string(seat.node)},
          {"HOROVOD_CROSS_SIZE", std::to_string(seat.nodes)},
          {"HOROVOD_HOSTNAME", seat.host},
          {"HOROVOD_GLOO_RENDEZVOUS_ADDR", seat.meeting_address},
          {"HOROVOD_GLOO_RENDEZVOUS_PORT", std::to_string(seat.meeting_port)},
          {"HOROVOD_CONTROLLER", "gloo"},
          {"HOROVOD_CPU_OPERATIONS", "gloo"},
          {"HOROVOD_GLOO_IFACE", seat.interface}};
}

const Launcher kHorovodrun{.section = "horovod",
                           .programs = " horovodrun horovod.runner.launch horovod.runner ",
                           .table = &kHorovodrunTable,
                           .same_meaning = kHorovodrunSameMeaning,
                           .variables = kHorovodrunVariables,
                           .reduce = reduce_for_horovodrun};

}  // namespace lockstep::launchers
