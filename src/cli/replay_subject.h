// The recorded rank that 'lockstep replay' runs again, and the folder of the replay's own recording.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/replay_request.h"
#include "record/payload.h"
#include "replay/checkpoint/keeper.h"
#include "replay/extent.h"
#include "run/supervise/installed.h"

namespace lockstep::cli {

struct ReplaySubject {
  std::filesystem::path recording;  // absolute
  replay::Job job;
  int number = 0;
  int world_size = 1;
  supervise::Installed parts;

  const record::Payload& rank() const { return *replay::find_rank(job, number); }
};
Result<ReplaySubject> find_replay_subject(const std::string& recording, int number);

// Whether there are steps, where the request names some.
Result<void> check_has_steps(const ReplaySubject& subject, const ReplayRequest& request);

// How the rank is started when its script begins, or resumes after so many steps.
checkpoint::Program program_of(const ReplaySubject& subject, const ReplayRequest& request, std::uint64_t from,
                               const std::filesystem::path& folder);

// Where the replay's own recording goes: where the user wants it, or a folder that goes with this object.
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

}  // namespace lockstep::cli
