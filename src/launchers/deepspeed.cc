// deepspeed, the launcher.
#include "config/launchers/tables.h"

namespace lockstep::config {
namespace {

constexpr FlagRules kRules{.may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kFlags[] = {
    {"-H --hostfile", 1, Fate::kDrop},
    {"-i --include", 1, Fate::kDrop},
    {"-e --exclude", 1, Fate::kDrop},
    {"--num_nodes", 1, Fate::kDrop},
    {"--num_gpus --num_accelerators", 1, Fate::kDrop},
    {"--min_elastic_nodes --max_elastic_nodes", 1, Fate::kDrop},
    {"--elastic_training", 0, Fate::kDrop},
    {"--master_port --master_addr --node_rank", 1, Fate::kDrop},
    {"--launcher --launcher_args --ssh_port", 1, Fate::kDrop},
    {"--no_ssh --no_ssh_check --force_multi", 0, Fate::kDrop},
    {"--enable_each_rank_log --log_dir", 1, Fate::kDrop},
    {"--bind_cores_to_rank", 0, Fate::kDrop},
    {"--bind_core_list", 1, Fate::kDrop},
    {"--autotuning", 1, Fate::kRefuse, "the autotuner starts jobs of its own"},
    {"--module --no_python --no_local_rank --save_pid", 0},
    {"--venv_script", 1},
};

}  // namespace

const LauncherTable kDeepspeedFlags{"deepspeed", kFlags, kRules};

}  // namespace lockstep::config
