// Attempts and who looks after them on this machine. Each has a keeper that outlives the service; whoever
// serves next finds it by the lock in the attempt's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/attempt_supervisor.h"
#include "service/engine/plan.h"
#include "service/job/job.h"

namespace lockstep::service {

// How attempts reach the clusters that there are.
struct ClusterAccess {
  std::string slurm_tools = {};  // the folder of sbatch
  std::optional<KubernetesSettings> kubernetes = {};
};

enum class Standing : std::uint8_t { kNotBegun, kAtWork, kEnded, kLost };

class LocalEngine {
 public:
  // Jobs have their folders below `jobs`; `program` is this very program.
  LocalEngine(std::filesystem::path jobs, std::string program, ClusterAccess access = {})
      : jobs_(std::move(jobs)), program_(std::move(program)), access_(std::move(access)) {}

  std::filesystem::path folder_of(const std::string& job_id) const { return jobs_ / job_id; }
  // Where a job runs that has no place of its own, and where any job may leave what it makes.
  std::filesystem::path files_of(const std::string& job_id) const { return folder_of(job_id) / "files"; }
  AttemptFolder folder_of(const std::string& job_id, int attempt) const {
    return {folder_of(job_id) / std::to_string(attempt)};
  }

  const std::string& program() const { return program_; }

  // Gives the keeper. May be called again for an attempt of which nobody knows whether it began: it begins
  // once.
  Result<pid_t> start(const Job& job, const Attempt& attempt) const;
  // For one whose keeper was lost while the attempt runs on somewhere else.
  Result<pid_t> adopt(const Job& job, const Attempt& attempt) const;
  Standing standing(const std::string& job_id, int attempt) const;
  void ask_to_end(const std::string& job_id, int attempt) const;
  void remove(const std::string& job_id) const;

 private:
  std::filesystem::path jobs_;
  std::string program_;
  ClusterAccess access_;
};

}  // namespace lockstep::service
