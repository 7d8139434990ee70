// Slurm's own commands, run and read.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/follow_remote_job.h"
#include "service/engine/plan.h"

namespace lockstep::service {

// What Slurm's commands are told and what they print. Versions of Slurm differ in what they print: a line or
// a word that is not known is passed over, never a reason to give up.

struct SlurmNode {
  std::string name;
  std::string partition;
  bool is_default = false;  // the partition
  int cpus = 0;
  std::int64_t memory_bytes = 0;
  int gpus = 0;
  std::string state;
  std::optional<int> time_limit_s;  // of the partition; none: without

  bool can_work() const;  // now or after what runs there
};

// For `sinfo -h -N -o FORMAT`.
inline constexpr const char* kNodeFormat = "%N|%P|%c|%m|%G|%T|%l";
std::vector<SlurmNode> nodes_in(std::string_view printed);

// "1-02:03:04", "30:00", "45" (minutes); none for "infinite" and what is not known.
std::optional<int> seconds_in(std::string_view time);

struct SlurmState {
  RemoteStanding standing = RemoteStanding::kUnknown;
  std::string word;    // "NODE_FAIL"
  std::string reason;  // why it waits
  std::string nodes;   // "n[1-2]"
};

// For `squeue -h -t all -o FORMAT`.
inline constexpr const char* kStateFormat = "%T|%r|%N";
SlurmState state_in(std::string_view printed);

// For `sacct -n -X -P -o FORMAT`: how a job ended that Slurm itself may have forgotten.
inline constexpr const char* kAccountFormat = "State,NodeList";
SlurmState accounted_state_in(std::string_view printed);

// "17" or "17;cluster", after whatever the site's own hooks printed.
std::optional<std::string> job_number_in(std::string_view printed);

// What `sbatch --test-only` says against an account; none: nothing, or it speaks of something else.
std::optional<std::string> account_refusal_in(std::string_view printed);

std::string slurm_job_name(const Plan& plan);
std::vector<std::string> sbatch_words(const AttemptFolder& folder, const Plan& plan);
// Users' words never pass through srun's own command line: it takes some of them for its own.
std::string batch_script(const AttemptFolder& folder, const Plan& plan, const std::string& program);

class SlurmTools {
 public:
  explicit SlurmTools(std::string folder) : folder_(std::move(folder)) {}

  // The folder of this PATH that holds them.
  static Result<SlurmTools> in_path(const std::string& path);
  const std::string& folder() const { return folder_; }

  Result<std::vector<SlurmNode>> nodes() const;
  // The number of the new job; an error has Slurm's own words.
  Result<std::string> submit(const AttemptFolder& folder, const Plan& plan) const;
  // None: Slurm does not know the job any more. kUnknown while nobody answers.
  std::optional<SlurmState> state_of(const std::string& number) const;
  // How it ended, by Slurm's accounts; an error says why they do not tell.
  Result<SlurmState> accounted_end_of(const std::string& number) const;
  // Also of a job that only the accounts still know. None: there is none; an error: nobody answers.
  Result<std::optional<std::string>> number_of(const std::string& job_name) const;
  // Why Slurm would not take a job of this account; none: it would, or it cannot be asked now.
  std::optional<std::string> refusal_of_account(const std::string& account,
                                                const std::string& partition) const;
  void cancel(const std::string& number) const;

 private:
  Result<std::string> printed_by(std::vector<std::string> words, std::chrono::milliseconds patience) const;
  std::string folder_;
};

}  // namespace lockstep::service
