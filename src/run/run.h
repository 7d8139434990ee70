// Runs a job with the recorder in every rank, watches it, and judges it at its end. The way into this folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/finding.h"
#include "run/session.h"
#include "run/supervise/recorder_environment.h"

namespace lockstep::run {

struct Request {
  std::vector<std::string> command;
  std::optional<std::string> out;        // none: a new folder, and a link lockstep-latest to it
  supervise::RecorderSettings recorder;  // its folder and job are set by run_recorded()
  SessionOptions session;
  bool is_alone = false;                  // watch this host only, even if the job has more
  std::optional<std::string> head;        // HOST:PORT where the watchers meet; none: what the launcher says
  std::optional<std::string> token_file;  // the secret of the job's hosts
  std::string version;                    // "lockstep 1.0"
};

struct Output {
  std::function<void()> before_start;                       // everything is ready, the job starts next
  std::function<void(std::string_view)> tell;               // lines for the user
  std::function<void(const model::Verdict&)> show_verdict;  // on a job with findings
};

// The job's own exit status, whatever becomes of the verdict. An error: it could not be run. Returns in a
// child of this process, which waits for it and exits with the job's status.
Result<int> run_recorded(const Request& request, const Output& output);

}  // namespace lockstep::run
