// srun, of Slurm. The step stays in Slurm's hands, because only there may be the GPU, the container and the
// modules the job runs with.
#include "config/launchers/tables.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"
#include "isolate/variables.h"

namespace lockstep::isolate {
namespace {

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

}  // namespace

Result<void> reduce_srun(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, config::kSrunFlags));
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
  return reduce_inner(split.program, launch, control);
}

}  // namespace lockstep::isolate
