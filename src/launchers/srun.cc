// srun, of Slurm. The step stays in Slurm's hands, because only there may be the GPU, the container and the
// modules the job runs with.
#include <fmt/format.h>

#include "launchers/launcher.h"
#include "launchers/one_rank.h"
#include "launchers/place.h"
#include "launchers/rank_variables.h"

namespace lockstep::launchers {
namespace {

constexpr FlagRules kSrunRules{.may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kSrunFlags[] = {
    {"-n --ntasks", 1, Fate::kDrop},
    {"-N --nodes", 1, Fate::kDrop},
    {"--ntasks-per-node --tasks-per-node --ntasks-per-core --ntasks-per-socket --ntasks-per-gpu", 1,
     Fate::kDrop},
    {"-w --nodelist", 1, Fate::kDrop},
    {"-x --exclude", 1, Fate::kDrop},
    {"-F --nodefile", 1, Fate::kDrop},
    {"-r --relative", 1, Fate::kDrop},
    {"-m --distribution", 1, Fate::kDrop},
    {"-G --gpus", 1, Fate::kDrop},
    {"--gpus-per-node --gpus-per-socket --sockets-per-node", 1, Fate::kDrop},
    {"-o --output", 1, Fate::kDrop},
    {"-e --error", 1, Fate::kDrop},
    {"--open-mode", 1, Fate::kDrop},
    {"-l --label", 0, Fate::kDrop},
    {"--use-min-nodes --spread-job --contiguous", 0, Fate::kDrop},
    {"--switches", 1, Fate::kDrop},
    {"--multi-prog", 0, Fate::kRefuse, "it starts a different program for each task"},
    {"--het-group --pack-group", 1, Fate::kRefuse, "it starts several jobs side by side"},
    {"-A --account", 1},
    {"-p --partition", 1},
    {"-q --qos", 1},
    {"-t --time", 1},
    {"-c --cpus-per-task", 1},
    {"-J --job-name", 1},
    {"-D --chdir", 1},
    {"-C --constraint", 1},
    {"-L --licenses", 1},
    {"-M --clusters", 1},
    {"-T --threads", 1},
    {"-W --wait", 1},
    {"-i --input", 1},
    {"-d --dependency", 1},
    {"-B --extra-node-info", 1},
    {"-S --core-spec", 1},
    {"--mem --mem-per-cpu --mem-per-gpu --mem-bind --tmp --gres --gres-flags --gpus-per-task", 1},
    {"--gpu-bind --gpu-freq --cpus-per-gpu --tres-per-task --tres-bind --cpu-bind --cpu-freq --hint", 1},
    {"--export --export-file --jobid --reservation --mpi --time-min --begin --deadline --comment", 1},
    {"--container --container-id --container-image --container-mounts --container-name", 1},
    {"--container-workdir --container-env --container-save --prolog --epilog --task-prolog", 1},
    {"--task-epilog --mail-type --mail-user --priority --slurmd-debug --wckey --profile --network", 1},
    {"--acctg-freq --bcast-exclude --prefer --power --signal --thread-spec --threads-per-core", 1},
    {"--cores-per-socket --uid --gid --mincpus --tree-width --delay-boot --cluster-constraint", 1},
    {"--bb --bbf --mcs-label", 1},
    {"--array --wrap --image --module --uenv --view --environment --auto-resume --wait-all-nodes", 1},
    {"--requeue --no-requeue --parsable --test-only", 0},
    {"-I --immediate", kValueInside},
    {"-Z --no-allocate", 0},
    {"-Q --quiet", 0},
    {"-v --verbose", 0},
    {"-u --unbuffered", 0},
    {"-K --kill-on-bad-exit", kValueInside},
    {"-k --no-kill", kValueInside},
    {"-O --overcommit", 0},
    {"-s --oversubscribe", 0},
    {"-E --preserve-env", 0},
    {"-H --hold", 0},
    {"-X --disable-status", 0},
    {"--exclusive --pty --x11 --propagate --resv-ports --nice --bcast --send-libs --get-user-env --compress",
     kValueInside},
    {"--overlap --exact --whole --interactive --quit-on-interrupt --reboot", 0},
    {"--container-mount-home --no-container-mount-home --container-remap-root", 0},
    {"--no-container-remap-root --container-writable --container-readonly --container-entrypoint", 0},
    {"--no-container-entrypoint", 0},
};
constexpr LauncherTable kSrunTable{"srun", kSrunFlags, kSrunRules};

// What each of a group says, said by the first.
constexpr std::string_view kSrunSameMeaning[] = {
    "ntasks n", "nodes N", "nodelist w", "gpus G", "cpus_per_task c", "ntasks_per_node tasks_per_node",
};

constexpr std::string_view kSrunVariables[] = {
    "SLURM_NTASKS",         "SLURM_NPROCS",         "SLURM_PROCID",         "SLURM_LOCALID",
    "SLURM_NODEID",         "SLURM_NNODES",         "SLURM_JOB_NUM_NODES",  "SLURM_NTASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NUM_NODES", "SLURM_STEP_TASKS_PER_NODE",
};

bool asks_for_gpus(const Words& dropped) {
  for (const std::string& word : dropped) {
    if (word.starts_with("-G") || word.starts_with("--gpus")) return true;
  }
  return false;
}

// What a batch script's own request left in the environment would widen the step again.
std::vector<Change> without_requests(const Environment& environment) {
  std::vector<Change> changes;
  for (const char* name :
       {"SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_HOSTFILE", "SLURM_DISTRIBUTION", "SLURM_GPUS",
        "SLURM_GPUS_PER_NODE", "SLURM_LABELIO", "SLURM_STDOUTMODE", "SLURM_STDERRMODE"}) {
    if (environment.contains(name)) changes.push_back({name, std::nullopt});
  }
  return changes;
}

Result<void> reduce_for_srun(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, kSrunTable));
  for (const std::string& word : split.program) {
    if (word == ":") return cannot_reduce(":", "it starts several programs side by side");
  }
  add_launcher(control, "srun");
  append(control.command, launched.head);
  append(control.command, {"--nodes=1", "--ntasks=1"});
  if (asks_for_gpus(split.dropped)) append(control.command, {"--gpus=1"});
  append(control.command, split.kept);
  append(control.left_out, split.dropped);
  add_changes(control, without_requests(launch.environment));
  add_changes(control,
              that_matter(torch_variables_for_one(launch.environment, launch.free_port), launch.environment));
  return reduce_command(split.program, launch, control);
}

}  // namespace

// Of a task that srun started. A batch script has the variables of the job, but not those of a step.
std::optional<JobPlace> place_by_slurm(const Launch& launch) {
  const auto step = variable(launch.environment, "SLURM_STEP_ID");
  const auto rank = number(launch.environment, kSlurmRank.rank);
  const auto size = number(launch.environment, "SLURM_STEP_NUM_TASKS");
  if (!step || !rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "srun"};
  const std::string nodes = variable(launch.environment, "SLURM_STEP_NODELIST").value_or("");
  const std::string job = variable(launch.environment, "SLURM_JOB_ID").value_or("");
  if (!nodes.empty()) {
    place.head = base::HostPort{.host = first_in_node_list(nodes),
                                .port = port_from(fmt::format("srun {}.{}", job, *step))};
  }
  return place;
}

std::string first_in_node_list(std::string_view list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  if (bracket == std::string_view::npos || comma < bracket) return std::string(list.substr(0, comma));
  const std::string_view numbers = list.substr(bracket + 1);
  const std::size_t close = numbers.find(']');
  const std::string_view suffix =
      close == std::string_view::npos ? std::string_view() : numbers.substr(close + 1);
  return fmt::format("{}{}{}", list.substr(0, bracket), numbers.substr(0, numbers.find_first_of("-,]")),
                     suffix.substr(0, suffix.find(',')));
}

const Launcher kSrun{.section = "srun",
                     .programs = " srun ",
                     .table = &kSrunTable,
                     .same_meaning = kSrunSameMeaning,
                     .variables = kSrunVariables,
                     .reduce = reduce_for_srun};

// A batch script asks in the same words, and is no launcher of ranks itself.
const Launcher kSbatch{
    .section = "sbatch", .programs = {}, .table = &kSrunTable, .same_meaning = kSrunSameMeaning};

}  // namespace lockstep::launchers
