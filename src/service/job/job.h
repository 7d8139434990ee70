// A job as the service knows it: what was asked, what was made of it, and what became of each attempt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "service/job/end_reason.h"

namespace lockstep::service {

// Names of jobs: "job_" and 26 characters that sort by the time of their making and cannot be guessed.

std::string make_job_id(std::int64_t now_ms);
// No name of a job that was made at this time or later comes before it.
std::string least_job_id(std::int64_t ms);
bool is_job_id(std::string_view text);

std::int64_t now_in_ms();  // of the wall clock

// "2026-11-15T22:40:01.123Z"
std::string rfc3339(std::int64_t ms);

// Unpredictable bytes from the kernel.
std::string random_bytes(std::size_t count);

enum class JobState : std::uint8_t { kQueued, kRunning, kSucceeded, kFailed, kCancelled };

std::string_view word_for(JobState state);  // "QUEUED"
std::optional<JobState> job_state_named(std::string_view word);
inline bool is_over(JobState state) {
  return state == JobState::kSucceeded || state == JobState::kFailed || state == JobState::kCancelled;
}

enum class Framework : std::uint8_t { kPyTorch, kTensorFlow, kHorovod, kPlain };

std::string_view word_for(Framework framework);  // "pytorch"
std::optional<Framework> framework_named(std::string_view word);

// Who runs the ranks.
enum class EngineKind : std::uint8_t { kLocal, kSlurm, kKubernetes };

std::string_view word_for(EngineKind engine);  // "local"
std::optional<EngineKind> engine_named(std::string_view word);

// What the user asked for. Hosts, ports, ranks and network cards are not among it.
struct JobSpec {
  std::string script = {};                // one of the two; a path
  std::vector<std::string> command = {};  // what every rank runs
  std::vector<std::string> args = {};     // of the script
  int workers_min = 1;                    // equal unless the job is elastic
  int workers_max = 1;
  std::optional<Framework> framework = {};  // none: guessed
  std::string python = {};                  // interpreter of the script; empty: python3
  std::string directory = {};               // where the ranks run; empty: a folder of the job's own
  std::optional<int> cpus_per_worker = {};
  std::optional<int> gpus_per_worker = {};
  std::int64_t memory_per_worker = 0;  // bytes; 0: no limit
  int time_limit_s = 0;                // 0: none
  std::map<std::string, std::string> environment = {};
  std::map<std::string, std::string> files = {};  // relative path: content
  int retries = 0;                                // after failures of which nothing is known
  int repairs = 3;                                // after faults that can be repaired or passed by
  std::string checkpoint_directory = {};
  int priority = 0;
  std::map<std::string, std::string> labels = {};
  std::optional<EngineKind> engine = {};  // none: the service's own
  int nodes = 0;                          // 0: as few as can be
  std::string partition = {};             // of Slurm; empty: its default
  std::string account = {};
  std::int64_t memory_most = 0;  // bytes to which memory_per_worker may be raised; 0: not at all
};

// What is taken from the machine while a job runs.
struct Resources {
  std::int64_t millicpus = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t gpus = 0;

  bool fits_in(const Resources& room) const {
    return millicpus <= room.millicpus && memory_bytes <= room.memory_bytes && gpus <= room.gpus;
  }
  Resources operator+(const Resources& more) const {
    return {millicpus + more.millicpus, memory_bytes + more.memory_bytes, gpus + more.gpus};
  }
  Resources operator-(const Resources& less) const {
    return {millicpus - less.millicpus, memory_bytes - less.memory_bytes, gpus - less.gpus};
  }
  Resources operator*(std::int64_t times) const {
    return {millicpus * times, memory_bytes * times, gpus * times};
  }
  bool operator==(const Resources&) const = default;
};

// A value of the configuration that the service chose, and why.
struct Choice {
  std::string name = {};
  std::string value = {};
  std::string reason = {};
};

// What earlier attempts of a job taught, and what the next ones do otherwise.
struct Repairs {
  std::map<std::string, std::string> environment = {};  // an empty value: the variable is taken away
  std::map<std::string, std::map<std::string, std::string>> node_environment = {};  // the same, by node
  std::vector<std::string> command = {};                                            // empty: as it was asked
  std::vector<std::string> excluded_nodes = {};
  std::vector<std::string> done = {};  // which repairs were made, by name
  bool has_own_shared_memory = false;
  int retries_used = 0;  // since the start, or since there was a newer checkpoint
  std::int64_t newest_checkpoint_ms = 0;
};

struct Job {
  std::string id = {};
  std::string owner = {};
  std::string service = {};  // that took it, where several share a store
  JobState state = JobState::kQueued;
  std::string reason = {};  // in words: "rank 2 ended with status 1"
  JobSpec spec = {};
  Framework framework = Framework::kPlain;
  Resources per_worker = {};
  std::vector<Choice> choices = {};
  std::int64_t created_ms = 0;
  std::int64_t started_ms = 0;  // of the first attempt; 0: not yet
  std::int64_t ended_ms = 0;
  int attempts = 0;
  bool cancel_asked = false;
  std::int64_t version = 1;  // grows with every change
  EngineKind engine = EngineKind::kLocal;
  std::string partition = {};  // of Slurm, as chosen
  Repairs repairs = {};

  void choose(std::string name, std::string value, std::string why) {
    choices.push_back({std::move(name), std::move(value), std::move(why)});
  }
};

// Of a rank that runs, only number, start and sign of life are known.
struct RankEnd {
  int rank = 0;
  std::int64_t pid = 0;
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  std::optional<int> exit_status = {};
  std::optional<int> signal = {};
  bool was_asked = false;  // it ended because it was told to
  bool hit_memory_limit = false;
  std::string output_lost = {};  // why not all that it printed could be kept; empty: it was
  std::int64_t alive_ms = 0;     // its last sign of life
  std::vector<std::string> last_lines = {};

  bool failed_by_itself() const { return !was_asked && (signal.has_value() || exit_status.value_or(0) != 0); }
};

struct Attempt {
  std::string job_id = {};
  int number = 0;  // from 1
  JobState state = JobState::kRunning;
  EndReason reason = {};
  int workers = 0;
  std::vector<int> gpus = {};
  std::vector<int> ports = {};
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  std::vector<RankEnd> ranks = {};
  std::optional<int> first_failed_rank = {};
  int exit_status = 0;
  base::Json check = {};     // lockstep-findings-v1 of the check before it started; null: there was none
  base::Json findings = {};  // lockstep-findings-v1; null: nothing was judged
  int nodes = 1;
  std::vector<std::string> node_names = {};  // in their order, where there are several
  std::int64_t news_read = 0;
};

struct Event {
  std::int64_t sequence = 0;
  std::string job_id = {};
  std::int64_t at_ms = 0;
  std::string kind = {};  // "queued", "started", "ended", ...
  std::string detail = {};
};

// The final record of a rank as JSON: its wrapper writes it, the service keeps and shows it.
base::Json encode_rank_end(const RankEnd& end);

// Findings inside a document of ours: earlier versions kept their text there. Null where there are none.
base::Json decode_kept_findings(const base::Json& kept);

// Throws nlohmann's exceptions on JSON of another shape: the callers catch them with those of the whole.
RankEnd decode_rank_end(const base::Json& json);

}  // namespace lockstep::service
