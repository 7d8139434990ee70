#include "replay/checkpoint/freeze.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "replay/checkpoint/image.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;

// What was written and not yet read would be in the image too, and come out of every copy.
void wait_until_read(int pipe) {
  constexpr int kMostWaits = 5000;
  const timespec moment{0, 1'000'000};
  for (int waits = 0, left = 1; waits < kMostWaits && left > 0; ++waits) {
    if (::ioctl(pipe, FIONREAD, &left) != 0) return;
    if (left > 0) ::nanosleep(&moment, nullptr);
  }
}

std::string name_of_open(int descriptor) {
  std::error_code fault;
  return fs::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), fault).string();
}

// All but the images themselves, which may lie in it.
Result<void> copy_recording(const fs::path& from, const fs::path& to, const fs::path& images) {
  std::error_code fault;
  fs::create_directories(to, fault);
  for (fs::directory_iterator entry(from, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (fs::equivalent(entry->path(), images, fault)) continue;
    fs::copy(entry->path(), to / entry->path().filename(), fs::copy_options::recursive, fault);
  }
  if (fault) return Error{"cannot copy the recording", from.string(), fault.message(), ""};
  return {};
}

std::uint64_t bytes_on_disk(const fs::path& folder) {
  std::uint64_t blocks = 0;
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    struct stat status {};
    if (::lstat(entry->path().c_str(), &status) == 0) blocks += static_cast<std::uint64_t>(status.st_blocks);
  }
  return blocks * 512;
}

Result<void> fill(const fs::path& folder, pid_t pid, const replay::Stop& stop, const Outlets& outlets,
                  const Freezing& freezing) {
  std::error_code fault;
  fs::create_directories(folder / "process", fault);
  if (fault) return Error{"cannot make a folder", folder.string(), fault.message(), ""};
  TRY(freezing.criu.dump(pid, folder / "process"));
  TRY(copy_recording(freezing.recording, folder / "recording", freezing.images));
  return base::write_file(folder / "image.json", encode_facts({.step = stop.step,
                                                               .pid = pid,
                                                               .out = name_of_open(outlets.out),
                                                               .err = name_of_open(outlets.err),
                                                               .recording = freezing.recording,
                                                               .replayed = freezing.replayed,
                                                               .rank = freezing.rank,
                                                               .has_gpu_memory = stop.has_gpu_memory()}));
}

}  // namespace

Result<std::uint64_t> freeze(pid_t pid, const replay::Stop& stop, const Outlets& outlets,
                             const Freezing& freezing, SharedPages& shared) {
  for (const int pipe : {outlets.out, outlets.err}) wait_until_read(pipe);
  const fs::path folder = freezing.images / image_name(stop.step);
  if (const auto filled = fill(folder, pid, stop, outlets, freezing); !filled.ok()) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return filled.error();
  }
  (void)shared.take_out(folder / "process", pid).ok();  // it is good as it is, only larger
  return bytes_on_disk(folder);
}

}  // namespace lockstep::checkpoint
