// The recorded rank to replay, and the folder of the replay's own recording.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

#include "base/result.h"
#include "record/payload.h"
#include "replay/checkpoint/supervisor.h"
#include "replay/extent.h"
#include "replay/request.h"
#include "run/supervise/recorder_environment.h"

namespace lockstep::replay {

struct Subject {
  std::filesystem::path recording;  // absolute
  Job job;
  int number = 0;
  int world_size = 1;
  supervise::Installed parts;

  const record::Payload& rank() const { return *find_rank(job, number); }
};

// Refuses a rank that cannot run alone, and steps in a recording that has none.
Result<Subject> find_subject(const Request& request);

// How the rank is started: its script begins, or resumes after `from` steps.
checkpoint::Program program_of(const Subject& subject, const Request& request, std::uint64_t from,
                               const std::filesystem::path& folder);

// What a user is told before a command runs that somebody else wrote down: who made the recording, and what
// will run. None: it was made by `self`, or by root.
std::optional<std::string> warning_of_stranger(const Subject& subject, const Request& request, uid_t self);

// Where the replay's own recording goes: where the user wants it, or a folder that is removed with this
// object.
class ReplayFolder {
 public:
  static Result<ReplayFolder> make(const std::optional<std::string>& wanted);
  ReplayFolder(const ReplayFolder&) = delete;
  ReplayFolder& operator=(const ReplayFolder&) = delete;
  ReplayFolder(ReplayFolder&& other) noexcept
      : path_(std::move(other.path_)), is_ours_(std::exchange(other.is_ours_, false)) {}
  ReplayFolder& operator=(ReplayFolder&&) = delete;
  ~ReplayFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  ReplayFolder() = default;
  std::filesystem::path path_;
  bool is_ours_ = false;
};

}  // namespace lockstep::replay
