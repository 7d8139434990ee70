// Where a replay stands still: before a call that LOCKSTEP_REPLAY_BREAK names as STEP:OPERATION:SEQUENCE, all
// numbers; an operation of 0 is any, a sequence of 0 the first one of the step.
//
// The variable is read at every call. A process that was restored from an image has been told something else
// since it began, and the adapter that knows it sets the variable anew.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/core/payload_keeper.h"

namespace lockstep::recorder {

class Breakpoint {
 public:
  // Stops the process with SIGSTOP when this is the call, once in a step.
  void meet(const PayloadKey& key, const PayloadKeeper& keeper);

 private:
  std::atomic<std::uint64_t> met_in_{0};  // the step; the first is 1
};

}  // namespace lockstep::recorder
