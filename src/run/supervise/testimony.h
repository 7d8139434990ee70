// What the processes of the ranks that a finding names can tell, kept in the recording before anyone ends
// them.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "hostinfo/state/host_state.h"
#include "model/finding.h"
#include "run/watch/live_job.h"

namespace lockstep::supervise {

class TestimonyTaker {
 public:
  // Begins with the facts of the host at this moment.
  TestimonyTaker(std::filesystem::path recording, bool wants_native_stacks);

  // Of the ranks that began it and some of those who wait. Takes seconds at most, half a minute with native
  // stacks.
  Result<void> take(const watch::LiveJob& job, const model::Finding& finding) const;

 private:
  std::filesystem::path recording_;
  bool wants_native_stacks_;
  hostinfo::HostState at_begin_;
};

}  // namespace lockstep::supervise
