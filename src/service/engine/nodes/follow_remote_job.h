// A job of another scheduler, followed to its end: what its ranks print is gathered, what happens is told,
// and it is ended when somebody asks for it or a rank is lost. The scheduler says whether the job is there;
// what became of the ranks, they say themselves.
#pragma once

#include <string>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/remote_job.h"
#include "service/engine/plan.h"

namespace lockstep::service {

struct RemoteEnd {
  int status = 0;      // not 0: no rank can have a say
  std::string reason;  // empty: the ranks know better
  bool was_asked = false;
  bool has_run = false;
};

RemoteEnd follow_to_the_end(const AttemptFolder& folder, const Plan& plan, RemoteJob& job);

// The folders of an attempt over several nodes, and the secret by which their watchers know each other.
Result<void> prepare_nodes(const AttemptFolder& folder);

}  // namespace lockstep::service
