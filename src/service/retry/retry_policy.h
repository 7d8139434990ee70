// Whether a failed attempt is followed by another one, and what that one does otherwise. A pure function of
// what is known; each decision comes with its reason in words, which becomes an event of the job.
#pragma once

#include <string>
#include <vector>

#include "model/finding.h"
#include "service/job/job.h"
#include "service/retry/set_up_repair.h"

namespace lockstep::service {

struct FailedAttempt {
  const Job& job;
  const Attempt& attempt;
  std::vector<model::Finding> findings;   // most likely first
  std::vector<RankEnd> silent;            // ranks that left no last word, with their last sign of life
  std::int64_t newest_checkpoint_ms = 0;  // 0: there is none
  SetUpRepair repair = {};                // of its set-up, as the rules have it
};

struct Decision {
  bool is_retried = false;
  std::string why;            // for people
  Repairs repairs;            // of the job from now on
  std::int64_t memory_bytes;  // of each worker from now on
};

Decision decide(const FailedAttempt& failed);

}  // namespace lockstep::service
