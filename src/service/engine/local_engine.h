// Attempts and who looks after them on this machine. Each has a supervisor that outlives the service; whoever
// serves next finds it by the lock in the attempt's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/result.h"
#include "service/engine/engine.h"
#include "service/engine/plan.h"
#include "service/job/job.h"

namespace lockstep::service {

// How attempts reach the clusters that there are.
struct ClusterAccess {
  std::string slurm_tools = {};  // the folder of sbatch
  std::optional<KubernetesSettings> kubernetes = {};
};

class LocalEngine : public Engine {
 public:
  // Jobs have their folders below `jobs`; `program` is this very program.
  LocalEngine(std::filesystem::path jobs, std::string program, ClusterAccess access = {})
      : Engine(std::move(jobs)), program_(std::move(program)), access_(std::move(access)) {}

  const std::string& program() const { return program_; }

  Result<pid_t> start(const Job& job, const Attempt& attempt) override;
  Result<pid_t> adopt(const Job& job, const Attempt& attempt) override;
  bool is_running(pid_t supervisor) override;
  Result<Standing> standing(const std::string& job_id, int attempt) const override;
  Result<void> ask_to_end(const std::string& job_id, int attempt) override;
  void remove(const std::string& job_id) override;

 private:
  std::string program_;
  ClusterAccess access_;
};

}  // namespace lockstep::service
