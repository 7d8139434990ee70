// The live view from its first frame until the person leaves it.
#pragma once

#include <chrono>
#include <optional>

#include "base/result.h"
#include "top/poller.h"

namespace lockstep::top {

struct SessionOptions {
  std::chrono::milliseconds interval{500};
  bool color = true;
};

struct SessionEnd {
  bool has_findings = false;     // in what was seen last
  std::optional<int> by_signal;  // that ended it
};

// The terminal is as before when this returns, with a value or an error.
Result<SessionEnd> run_session(Look look, const SessionOptions& options);

}  // namespace lockstep::top
