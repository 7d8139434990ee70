// torchrun, python -m torch.distributed.run and torch.distributed.launch, of PyTorch 1.9 to 2.13.
#include "config/launchers/tables.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"
#include "isolate/variables.h"

namespace lockstep::isolate {
namespace {

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
  const SplitForOne split = TRY(split_for_one(launched.words, config::kTorchrunFlags));
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
