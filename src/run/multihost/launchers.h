// What each launcher tells of a job's hosts, one function each. Nothing: it is not this launcher; a count of
// one: it is, and there is nobody else.
#pragma once

#include <optional>

#include "run/multihost/job_place.h"

namespace lockstep::multihost {

// torchrun, torch.distributed.run and .launch: their flags, and PET_* for those not given.
std::optional<JobPlace> place_by_torchrun(const Launch& launch);
std::optional<JobPlace> place_by_accelerate(const Launch& launch);
// One watcher for each rank: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
std::optional<JobPlace> place_by_rank_variables(const Launch& launch);
std::optional<JobPlace> place_by_tf_config(const Launch& launch);
std::optional<JobPlace> place_by_open_mpi(const Launch& launch);
std::optional<JobPlace> place_by_horovod(const Launch& launch);
std::optional<JobPlace> place_by_slurm(const Launch& launch);
std::optional<JobPlace> place_by_mpich(const Launch& launch);

// The first of "node[01-04,07],login".
std::string first_in_node_list(std::string_view list);

}  // namespace lockstep::multihost
