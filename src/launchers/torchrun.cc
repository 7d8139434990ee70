// torchrun, python -m torch.distributed.run and torch.distributed.launch, of PyTorch 1.9 to 2.13.
#include "launchers/launcher.h"
#include "launchers/one_rank.h"

namespace lockstep::launchers {
namespace {

constexpr FlagRules kRules{.underscore_is_dash = true, .may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kFlags[] = {
    {"--nnodes", 1, Fate::kDrop},
    {"--nproc-per-node", 1, Fate::kDrop},
    {"--node-rank", 1, Fate::kDrop},
    {"--rdzv-backend", 1, Fate::kDrop},
    {"--rdzv-endpoint", 1, Fate::kDrop},
    {"--rdzv-id", 1, Fate::kDrop},
    {"--rdzv-conf", 1, Fate::kDrop},
    {"--standalone", 0, Fate::kDrop},
    {"--master-addr", 1, Fate::kDrop},
    {"--master-port", 1, Fate::kDrop},
    {"--local-addr", 1, Fate::kDrop},
    {"--max-restarts", 1, Fate::kDrop},
    {"--log-dir", 1, Fate::kDrop},
    {"-r --redirects", 1, Fate::kDrop},
    {"-t --tee", 1, Fate::kDrop},
    {"--local-ranks-filter", 1, Fate::kDrop},
    {"--duplicate-stdout-filters", 1, Fate::kDrop},
    {"--duplicate-stderr-filters", 1, Fate::kDrop},
    {"--logs-specs", 1, Fate::kDrop},
    {"--numa-binding", 1, Fate::kDrop},
    {"--monitor-interval", 1},
    {"--start-method", 1},
    {"--event-log-handler", 1},
    {"--role", 1},
    {"--signals-to-handle", 1},
    {"--shutdown-timeout", 1},
    {"-m --module", 0},
    {"--no-python", 0},
    {"--run-path", 0},
    {"--virtual-local-rank", 0},
    {"--use-env", 0},  // torch.distributed.launch alone
};
constexpr LauncherTable kTable{"torchrun", kFlags, kRules};

struct TorchVariable {
  std::string_view name;
  std::string_view alone;
  bool is_required;  // by init_method="env://"
};

constexpr TorchVariable kTorchVariables[] = {
    {"RANK", "0", true},
    {"WORLD_SIZE", "1", true},
    {"LOCAL_RANK", "0", false},
    {"LOCAL_WORLD_SIZE", "1", false},
    {"NODE_RANK", "0", false},
    {"GROUP_RANK", "0", false},
    {"GROUP_WORLD_SIZE", "1", false},
    {"ROLE_RANK", "0", false},
    {"ROLE_WORLD_SIZE", "1", false},
    {"NNODES", "1", false},
    {"NPROC_PER_NODE", "1", false},
};

constexpr std::string_view kVariables[] = {"TORCHELASTIC_"};

// Every flag has a variable that stands for it (PET_NNODES); what is on the command line wins, what was
// dropped from it must not come back.
std::vector<Change> without_flag_variables(const Environment& environment) {
  std::vector<Change> changes;
  for (const char* name :
       {"PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID", "PET_RDZV_CONF", "PET_STANDALONE",
        "PET_LOG_DIR", "PET_REDIRECTS", "PET_TEE", "PET_LOCAL_ADDR", "PET_LOCAL_RANKS_FILTER",
        "PET_DUPLICATE_STDOUT_FILTERS", "PET_DUPLICATE_STDERR_FILTERS"}) {
    if (environment.contains(name)) changes.push_back({name, std::nullopt});
  }
  return changes;
}

Result<void> reduce(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, kTable));
  add_launcher(control, "torchrun");
  append(control.command, launched.head);
  append(control.command,
         {"--nnodes=1", "--nproc_per_node=1", "--node_rank=0", "--max_restarts=0",
          std::string("--master_addr=") + kLoopback, "--master_port=" + std::to_string(launch.free_port)});
  append(control.command, split.kept);
  append(control.command, split.program);
  append(control.left_out, split.dropped);
  add_changes(control, without_flag_variables(launch.environment));
  return {};
}

}  // namespace

std::vector<Change> torch_variables_for_one(const Environment& environment, int free_port) {
  const bool is_one_of_several = environment.contains("RANK") || environment.contains("WORLD_SIZE") ||
                                 environment.contains("MASTER_ADDR");
  if (!is_one_of_several) return {};
  std::vector<Change> changes;
  for (const TorchVariable& variable : kTorchVariables) {
    const bool is_set = environment.contains(variable.name);
    if (is_set || variable.is_required)
      changes.push_back({std::string(variable.name), std::string(variable.alone)});
  }
  changes.push_back({"MASTER_ADDR", kLoopback});
  changes.push_back({"MASTER_PORT", std::to_string(free_port)});
  return changes;
}

const Launcher kTorchrun{.section = "torchrun",
                         .programs = " torchrun torch.distributed.run torch.distributed.launch ",
                         .table = &kTable,
                         .variables = kVariables,
                         .reduce = reduce};

}  // namespace lockstep::launchers
