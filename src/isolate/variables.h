// The variables by which a process learns that it is one of several, and what they say to one that is alone.
#pragma once

#include <vector>

#include "base/result.h"
#include "isolate/control.h"

namespace lockstep::isolate {

// RANK, WORLD_SIZE and their kin, MASTER_ADDR and MASTER_PORT: only where some of them are set.
std::vector<Change> torch_variables_for_one(const Environment& environment, int free_port);

// What launchers leave behind in a process (Open MPI, PMI, Slurm, Horovod, torchrun): taken out where set.
std::vector<Change> without_launcher_variables(const Environment& environment);

// One GPU, the first the process may see. A process that uses all of them is more than one rank inside.
std::vector<Change> one_visible_device(const Environment& environment);

// TF_CONFIG with one worker. An error for a job of parameter servers, and for text that is not a cluster.
Result<std::vector<Change>> tf_config_for_one(const Environment& environment, int free_port);

// Those of the changes that change something.
std::vector<Change> that_matter(std::vector<Change> changes, const Environment& environment);

}  // namespace lockstep::isolate
