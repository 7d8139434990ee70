// An attempt as a job of Slurm: handed in, followed to its end, ended when it must be. Slurm says whether the
// job is there; what became of the ranks, they say themselves.
#pragma once

#include <string>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"

namespace lockstep::service {

struct SlurmEnd {
  int status = 0;      // not 0: no rank can have a say
  std::string reason;  // empty: the ranks know better
  bool was_asked = false;
  bool has_run = false;
};

// `is_adopted`: it was handed in before, by a process that is gone.
Result<SlurmEnd> run_slurm_attempt(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                                   bool is_adopted);

}  // namespace lockstep::service
