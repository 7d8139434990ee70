#include "launch/recording_folder.h"

#include <chrono>
#include <unistd.h>

#include <fmt/chrono.h>

#include "record/recording.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

// Jobs that begin in the same second get folders of their own.
fs::path unused_name() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string name = fmt::format("lockstep-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
  std::error_code ignored;
  if (!fs::exists(name, ignored)) return name;
  for (int i = 2;; ++i) {
    const std::string next = fmt::format("{}-{}", name, i);
    if (!fs::exists(next, ignored)) return next;
  }
}

}  // namespace

Result<fs::path> make_recording_folder(const fs::path& folder, const std::vector<std::string>& command,
                                       const std::string& writer) {
  using namespace std::chrono;
  const fs::path place = folder.empty() ? unused_name() : folder;
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

}  // namespace lockstep::launch
