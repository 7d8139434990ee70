#include "run/supervise/recording_folder.h"

#include <chrono>
#include <unistd.h>

#include <fmt/chrono.h>

#include "record/recording.h"

namespace lockstep::supervise {

namespace fs = std::filesystem;

namespace {

// Jobs that begin in the same second get folders of their own: who makes one has it.
Result<fs::path> make_unused(const std::string& suffix) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string name = fmt::format("lockstep-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
  constexpr int kMaxTries = 1000;
  for (int i = 1; i <= kMaxTries; ++i) {
    const fs::path next = i == 1 ? name + suffix : fmt::format("{}-{}{}", name, i, suffix);
    std::error_code fault;
    if (fs::create_directory(next, fault)) return next;
    if (fault)
      return Error{"cannot make recording folder", next.string(), fault.message(),
                   "choose another place with -o DIR"};
  }
  return Error{"cannot make recording folder", name, "there are too many of this second",
               "choose another place with -o DIR"};
}

// Beside it, not in it, when it was given as "folder/".
fs::path with_suffix(const fs::path& folder, const std::string& suffix) {
  const fs::path named = folder.has_filename() ? folder : folder.parent_path();
  return named.string() + suffix;
}

}  // namespace

Result<fs::path> make_recording_folder(const fs::path& folder, const std::string& suffix,
                                       const std::vector<std::string>& command, const std::string& writer) {
  using namespace std::chrono;
  const fs::path place = folder.empty() ? TRY(make_unused(suffix)) : with_suffix(folder, suffix);
  record::Manifest manifest;
  manifest.job = command.empty() ? "" : fs::path(command.front()).filename().string();
  manifest.writer = writer;
  manifest.command = command;
  manifest.started_wall_ns =
      static_cast<std::uint64_t>(duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
  TRY(record::create_recording(place, manifest));
  std::error_code fault;
  fs::path made = fs::canonical(place, fault);
  if (fault) return Error{"cannot find the recording folder", place.string(), fault.message(), ""};
  return made;
}

void link_latest(const fs::path& recording) {
  const fs::path link = recording.parent_path() / "lockstep-latest";
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(link, ignored);
  if (fs::exists(status) && !fs::is_symlink(status)) return;
  const fs::path made = fmt::format("{}.{}", link.string(), ::getpid());
  fs::create_directory_symlink(recording.filename(), made, ignored);
  fs::rename(made, link, ignored);
}

}  // namespace lockstep::supervise
