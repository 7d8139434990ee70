// srun, of Slurm. The step stays in Slurm's hands, because only there may be the GPU, the container and the
#include "config/launchers/tables.h"

namespace lockstep::config {
namespace {

constexpr FlagRules kRules{.may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kFlags[] = {
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
    {"-Q --quiet", 0},
    {"-v --verbose", 0},
    {"-u --unbuffered", 0},
    {"-K --kill-on-bad-exit", 0},
    {"-k --no-kill", 0},
    {"-O --overcommit", 0},
    {"-s --oversubscribe", 0},
    {"-E --preserve-env", 0},
    {"-H --hold", 0},
    {"-X --disable-status", 0},
    {"--exclusive --overlap --exact --whole --pty --x11 --propagate --resv-ports --nice --bcast", 0},
    {"--send-libs --get-user-env --compress --interactive --quit-on-interrupt --reboot", 0},
    {"--container-mount-home --no-container-mount-home --container-remap-root", 0},
    {"--no-container-remap-root --container-writable --container-readonly --container-entrypoint", 0},
    {"--no-container-entrypoint", 0},
};

}  // namespace

const LauncherTable kSrunFlags{"srun", kFlags, kRules};

}  // namespace lockstep::config
