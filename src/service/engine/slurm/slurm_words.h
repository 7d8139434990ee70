// What Slurm's commands are told and what they print. Versions of Slurm differ in what they print: a line or
// a word that is not known is passed over, never a reason to give up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/remote_job.h"
#include "service/engine/plan.h"

namespace lockstep::service {

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

}  // namespace lockstep::service
