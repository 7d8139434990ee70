// An attempt as pods of Kubernetes: made there, followed to its end, ended when it must be.
#pragma once

#include <string>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/follow_remote_job.h"
#include "service/engine/plan.h"

namespace lockstep::service {

// `is_adopted`: it was made before, at least in part, by a process that is gone.
Result<RemoteEnd> run_kubernetes_attempt(const AttemptFolder& folder, const Plan& plan,
                                         const std::string& program, bool is_adopted);

}  // namespace lockstep::service
