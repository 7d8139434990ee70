// deepspeed, the launcher.
#include "launchers/launcher.h"
#include "launchers/one_rank.h"

namespace lockstep::launchers {
namespace {

constexpr FlagRules kDeepspeedRules{.may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kDeepspeedFlags[] = {
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
constexpr LauncherTable kDeepspeedTable{"deepspeed", kDeepspeedFlags, kDeepspeedRules};

// What each of a group says, said by the first.
constexpr std::string_view kDeepspeedSameMeaning[] = {"hostfile H", "include i", "exclude e",
                                                      "num_gpus num_accelerators"};

Result<void> reduce_for_deepspeed(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, kDeepspeedTable));
  add_launcher(control, "deepspeed");
  append(control.command, launched.head);
  // Without a regular host file it uses this machine; the default one may exist and name others.
  append(control.command, {"--hostfile=/dev/null", "--num_gpus=1", std::string("--master_addr=") + kLoopback,
                           "--master_port=" + std::to_string(launch.free_port)});
  append(control.command, split.kept);
  append(control.command, split.program);
  append(control.left_out, split.dropped);
  return {};
}

}  // namespace

const Launcher kDeepspeed{.section = "deepspeed",
                          .programs = " deepspeed deepspeed.launcher.runner ",
                          .table = &kDeepspeedTable,
                          .same_meaning = kDeepspeedSameMeaning,
                          .reduce = reduce_for_deepspeed};

}  // namespace lockstep::launchers
