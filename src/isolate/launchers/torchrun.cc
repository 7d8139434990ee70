// torchrun, python -m torch.distributed.run and torch.distributed.launch, of PyTorch 1.9 to 2.13.
#include "isolate/flag_table.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/variables.h"

namespace lockstep::isolate {
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

}  // namespace

Result<void> reduce_torchrun(const Launched& launched, const Launch& launch, Control& control) {
  const SplitCommand split = TRY(split_command("torchrun", launched.words, kFlags, kRules));
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

}  // namespace lockstep::isolate
