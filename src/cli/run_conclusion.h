// What `lockstep run` says when the job has ended.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/run_session.h"
#include "run/supervise/run_job.h"

namespace lockstep::cli {

class Terminal;

Result<void> conclude_run(const std::filesystem::path& recording, supervise::WatchedEnd& end,
                          RunSession& session, Terminal& terminal);

}  // namespace lockstep::cli
