// The processes of a running job, found by the logs that they still write.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"
#include "run/evidence/file_life.h"

namespace lockstep::evidence {

struct WrittenLog {
  std::size_t log = 0;  // of those that were asked for
  FileLife life;
  std::vector<pid_t> writers;    // who have it open, or feed one who has through a pipe, as `job | tee log`
  std::vector<pid_t> processes;  // the writers and all below them, ascending
};

// Only logs that somebody else than this process writes. Where none was written since `since`, nobody is
// looked for: that takes a look at every process of the host.
std::vector<WrittenLog> written_logs(const process::Roots& roots, std::span<const std::filesystem::path> logs,
                                     std::chrono::system_clock::time_point since);

}  // namespace lockstep::evidence
