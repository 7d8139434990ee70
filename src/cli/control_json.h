// The findings document of a control run: lockstep-findings-v1 with its member "control".
#pragma once

#include <optional>
#include <string>

#include "isolate/compare.h"
#include "isolate/control.h"

namespace lockstep::cli {

struct ControlResult {
  isolate::Comparison comparison;
  int status = 0;
  double seconds = 0;
  bool timed_out = false;
  std::string folder;
};

// Without a result: what would run.
std::string encode_control(const isolate::Control& control, const std::optional<ControlResult>& result);

}  // namespace lockstep::cli
