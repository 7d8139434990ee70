#include "replay/subject.h"

#include <cstdlib>
#include <pwd.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/process/environment.h"
#include "record/recording.h"
#include "replay/compare/surroundings.h"
#include "replay/solo_command.h"
#include "run/supervise/recorder_environment.h"

namespace lockstep::replay {
namespace {

namespace fs = std::filesystem;

// The recorded environment, with this terminal.
std::vector<std::string> environment_for(const record::PayloadProcess& process) {
  std::vector<std::string> environment = recorded_environment(process);
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with("TERM="); });
  for (const std::string& entry : process::own_environment()) {
    if (entry.starts_with("TERM=")) environment.push_back(entry);
  }
  return environment;
}

// The rank recorded whether it can be run alone.
Result<void> check_can_be_replayed(const fs::path& recording, const record::Payload& rank) {
  const Attributes told = attributes_in(recording / record::rank_file_name(rank.rank, rank.restart));
  const auto why_not = told.find("not replayable");
  if (why_not == told.end()) return {};
  const auto instead = told.find("replay instead");
  return Error{fmt::format("cannot replay rank {}", rank.rank), recording.string(), why_not->second,
               instead == told.end() ? "" : "replay " + instead->second};
}

Result<void> check_has_steps(const Subject& subject, const Request& request) {
  const bool asks_for_steps = request.from_step || request.to_step || request.bisects() ||
                              request.image_every != 0 || (request.break_at && request.break_at->step > 1);
  if (!asks_for_steps || extent_of(subject.rank(), subject.job).steps != 0) return {};
  return Error{
      "cannot go to a step", subject.recording.string(),
      fmt::format("no step of rank {} was seen to end: steps are those of optimizers, of Keras and of "
                  "TensorFlow's functions with collectives; a program in plain MPI has none",
                  subject.number),
      "'--break-at 1:17' stands still before call 17 of any communicator; without steps all calls are of "
      "step 1"};
}

}  // namespace

Result<Subject> find_subject(const Request& request) {
  const std::string& recording = request.recording;
  const int number = request.rank;
  std::error_code fault;
  Subject subject{.recording = fs::canonical(recording, fault), .job = {}, .parts = {}};
  if (fault) return Error{"cannot replay", recording, fault.message(), "name the folder of a recording"};
  subject.job = TRY(open_job(subject.recording));
  const record::Payload* const rank = find_rank(subject.job, number);
  if (rank == nullptr) {
    return Error{
        "cannot replay", subject.recording.string(), fmt::format("rank {} left no payload", number),
        fmt::format("ranks {} to {} did", subject.job.ranks.front().rank, subject.job.ranks.back().rank)};
  }
  TRY(check_can_be_replayed(subject.recording, *rank));
  if (!rank->process || rank->process->arguments.empty()) {
    return Error{"cannot replay", subject.recording.string(),
                 "how the rank was started is not in the recording", ""};
  }
  subject.number = number;
  subject.world_size = rank->world_size > 0 ? rank->world_size : subject.job.ranks.back().rank + 1;
  subject.parts = TRY(supervise::find_installed());
  TRY(check_has_steps(subject, request));
  return subject;
}

namespace {

std::string name_of_user(uid_t user) {
  char buffer[1 << 12];
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer, sizeof buffer, &found) != 0 || found == nullptr)
    return fmt::format("user {}", user);
  return fmt::format("{} (user {})", base::escape_for_terminal(entry.pw_name), user);
}

// Of the folder, or of what the rank left in it.
std::optional<uid_t> stranger_of(const Subject& subject, uid_t self) {
  const record::Payload& rank = subject.rank();
  for (const fs::path& path :
       {subject.recording, record::payload_path(subject.recording, rank.rank, rank.restart)}) {
    struct stat found {};
    const bool is_there = ::stat(path.c_str(), &found) == 0;
    if (is_there && found.st_uid != self && found.st_uid != 0) return found.st_uid;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> warning_of_stranger(const Subject& subject, const Request& request, uid_t self) {
  const auto stranger = stranger_of(subject, self);
  if (!stranger) return std::nullopt;
  const record::PayloadProcess& process = *subject.rank().process;
  std::string command;
  for (const std::string& word : solo_command(process, request.command))
    command += (command.empty() ? "" : " ") + base::escape_for_terminal(word);
  return fmt::format(
      "lockstep: warning: this recording was made by {}, and replaying it runs the command stored in it, "
      "with your permissions:\n  {}\n  in {}\n",
      name_of_user(*stranger), command, base::escape_for_terminal(process.folder));
}

checkpoint::Program program_of(const Subject& subject, const Request& request, std::uint64_t from,
                               const fs::path& folder) {
  const record::Payload& rank = subject.rank();
  const supervise::ReplaySettings settings{.recording = subject.recording,
                                           .rank = subject.number,
                                           .world_size = subject.world_size,
                                           .restart = rank.restart,
                                           .from_step = from,
                                           .break_at = recorder_breakpoint(request)};
  return {solo_command(*rank.process, request.command),
          supervise::with_replay(environment_for(*rank.process), subject.parts, folder, settings),
          rank.process->folder};
}

Result<ReplayFolder> ReplayFolder::make(const std::optional<std::string>& wanted) {
  ReplayFolder folder;
  if (wanted) {
    TRY(record::create_recording(*wanted, {.job = "replay", .writer = "", .command = {}, .world_size = {}}));
    folder.path_ = fs::absolute(*wanted);
    return folder;
  }
  std::error_code fault;
  std::string name = (fs::temp_directory_path(fault) / "lockstep-replay-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return base::error_from_errno("cannot make a folder", name);
  folder.path_ = name;
  folder.is_ours_ = true;
  return folder;
}

ReplayFolder::~ReplayFolder() {
  std::error_code ignored;
  if (is_ours_) fs::remove_all(path_, ignored);
}

}  // namespace lockstep::replay
