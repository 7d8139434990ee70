// Evidence from the processes of the ranks that a finding names, kept in the recording before anyone ends
// them.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "hostinfo/state/host_state.h"
#include "model/finding.h"
#include "run/watch/live_job.h"

namespace lockstep::supervise {

class FaultEvidence {
 public:
  // Notes the facts of the host at this moment, to compare with later.
  FaultEvidence(std::filesystem::path recording, bool wants_native_stacks);

  // Collects from the root ranks and some of the victims. Takes seconds at most, half a minute with native
  // stacks.
  Result<void> collect(const watch::LiveJob& job, const model::Finding& finding) const;

 private:
  std::filesystem::path recording_;
  bool wants_native_stacks_;
  hostinfo::HostState at_begin_;
};

}  // namespace lockstep::supervise
