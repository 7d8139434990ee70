// An attempt as a job of Slurm: handed in, followed to its end, ended when it must be.
#pragma once

#include <string>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/follow_remote_job.h"
#include "service/engine/plan.h"

namespace lockstep::service {

// `is_adopted`: it was handed in before, by a process that is gone.
Result<RemoteEnd> run_slurm_attempt(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                                    bool is_adopted);

}  // namespace lockstep::service
