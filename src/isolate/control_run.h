// A control run from its start to its findings: the reduced job runs in a folder that keeps what it prints,
// is judged as `lockstep diagnose` judges, and compared with the job that failed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "isolate/compare.h"
#include "isolate/control.h"

namespace lockstep::isolate {

// The exit status of a run that was ended at its time limit, as timeout(1) says it.
inline constexpr int kTimedOut = 124;

struct ControlRequest {
  std::filesystem::path folder;             // is made; one that holds anything already is refused
  std::chrono::seconds timeout{0};          // 0: none
  std::optional<model::Verdict> job = {};   // the verdict about the failed job
  std::function<void()> before_start = {};  // the folder is there, nothing runs yet
  std::function<void(std::string_view)> on_output = {};  // bytes as they come
};

struct ControlResult {
  Comparison comparison;
  int status = 0;  // as a shell tells it
  double seconds = 0;
  bool timed_out = false;
  std::string folder;
};

// Leaves findings.json beside the output. An error when the folder cannot be used or nothing could be
// started; then no folder is left.
Result<ControlResult> run_control(const Control& control, const Environment& before,
                                  const ControlRequest& request);

// The findings document, lockstep-findings-v1, with its member "control". Without a result: what would run.
std::string encode_control(const Control& control, const std::optional<ControlResult>& result);

// "lockstep-isolate-20261115-154501", in the current folder.
std::filesystem::path new_folder_name();

}  // namespace lockstep::isolate
