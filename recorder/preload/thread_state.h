// What the recorder keeps for each thread. In the static block of thread-local storage, so that reaching it
// never allocates.
#pragma once

#include <cstdint>

#include "recorder/core/lane.h"

namespace lockstep::recorder {

struct ThreadState {
  Lane* lane;
  std::int32_t session;  // the id of the session the lane belongs to; 0: none
  std::uint32_t stack_questions;
  bool is_inside;  // of a call into the recorder: a signal handler came in between
};

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): a constant
extern constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

}  // namespace lockstep::recorder
