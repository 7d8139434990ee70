// What a small program prints, for callers that run a job at the same time: only this program is waited for
// and ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/process/spawn.h"
#include "base/result.h"

namespace lockstep::process {

struct Captured {
  std::string out;
  std::string err;
  bool timed_out = false;  // it and its process group were killed
};

// Each stream up to `max_bytes`; the rest is read and dropped. An error only when it could not be started.
Result<Captured> capture(const Command& command, std::chrono::milliseconds time, std::size_t max_bytes);

}  // namespace lockstep::process
