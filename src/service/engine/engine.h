// Who runs attempts for the service. The folders of jobs are the same for every engine: what an attempt tells
// lies there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/job/job.h"

namespace lockstep::service {

enum class Standing : std::uint8_t { kNotBegun, kAtWork, kEnded, kLost };

class Engine {
 public:
  // Jobs have their folders below `jobs`.
  explicit Engine(std::filesystem::path jobs) : jobs_(std::move(jobs)) {}
  virtual ~Engine() = default;

  std::filesystem::path folder_of(const std::string& job_id) const { return jobs_ / job_id; }
  // Where a job runs that has no place of its own, and where any job may leave what it makes.
  std::filesystem::path files_of(const std::string& job_id) const { return folder_of(job_id) / "files"; }
  AttemptFolder folder_of(const std::string& job_id, int attempt) const {
    return {folder_of(job_id) / std::to_string(attempt)};
  }

  // Gives the supervisor's process. May be called again for an attempt of which nobody knows whether it
  // began: it begins once.
  virtual Result<pid_t> start(const Job& job, const Attempt& attempt) = 0;
  // For an attempt whose supervisor was lost while its ranks run on somewhere else.
  virtual Result<pid_t> adopt(const Job& job, const Attempt& attempt) = 0;
  // Whether a supervisor that this process started runs on; one that has ended is asked after once.
  virtual bool is_running(pid_t supervisor) = 0;
  // An error: nobody can tell now. Whoever asks waits, and asks again.
  virtual Result<Standing> standing(const std::string& job_id, int attempt) const = 0;
  // An error: the attempt may not have heard of it.
  virtual Result<void> ask_to_end(const std::string& job_id, int attempt) = 0;
  virtual void remove(const std::string& job_id) = 0;

 private:
  std::filesystem::path jobs_;
};

}  // namespace lockstep::service
