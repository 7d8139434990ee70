// A job of another scheduler, followed to its end: what its ranks print is gathered, what happens is told,
// and it is ended when somebody asks for it or a rank is lost. The scheduler says whether the job is there;
// what became of the ranks, they say themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"
#include "service/job/end_reason.h"

namespace lockstep::service {

// An attempt as the scheduler of a cluster knows it: handed in there under a name, looked at, ended.

enum class RemoteStanding : std::uint8_t { kUnknown, kWaiting, kRunning, kOver };

struct RemoteState {
  RemoteStanding standing = RemoteStanding::kUnknown;
  std::string where = {};      // it runs: "n[1-2]"
  std::string waits_for = {};  // in the scheduler's words
  EndReason trouble = {};      // what befell it that its ranks cannot tell; it is ended, if it is not over
  std::vector<int> suspects = {};  // ranks on nodes that do not answer the scheduler
};

class RemoteJob {
 public:
  virtual ~RemoteJob() = default;
  virtual std::string name() const = 0;  // "Slurm job 17"
  virtual RemoteState look() = 0;
  // Of ranks that are lost nobody is asked: they are given up.
  virtual void cancel(const std::vector<int>& lost) = 0;
};

struct RemoteEnd {
  int status = 0;         // not 0: no rank can have a say
  EndReason reason = {};  // empty: the ranks know better
  bool was_asked = false;
  bool has_run = false;
};

RemoteEnd follow_to_the_end(const AttemptFolder& folder, const Plan& plan, RemoteJob& job);

// The folders of an attempt over several nodes, and the secret by which their watchers know each other.
Result<void> prepare_nodes(const AttemptFolder& folder);

// An attempt as a job of Slurm: handed in, followed to its end, ended when it must be.
// `is_adopted`: it was handed in before, by a process that is gone.
Result<RemoteEnd> run_slurm_attempt(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                                    bool is_adopted);

// An attempt as pods of Kubernetes: made there, followed to its end, ended when it must be.
// `is_adopted`: it was made before, at least in part, by a process that is gone.
Result<RemoteEnd> run_kubernetes_attempt(const AttemptFolder& folder, const Plan& plan,
                                         const std::string& program, bool is_adopted);

}  // namespace lockstep::service
