#include "replay/checkpoint/supervisor.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/environment.h"
#include "base/process/spawn.h"
#include "replay/checkpoint/shared_pages.h"

namespace lockstep::checkpoint {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Output that nobody has read yet would be frozen too, and every copy would print it.
void wait_until_read(int pipe) {
  constexpr int kMaxWaits = 5000;  // of 1 ms: a reader that is stuck must not keep the process from going on
  const timespec moment{0, 1'000'000};
  for (int waits = 0, left = 1; waits < kMaxWaits && left > 0; ++waits) {
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

Result<void> fill(const fs::path& folder, pid_t pid, const Stop& stop, const OutputPipes& pipes,
                  const FreezeTarget& target) {
  std::error_code fault;
  fs::create_directories(folder / "process", fault);
  if (fault) return Error{"cannot make a folder", folder.string(), fault.message(), ""};
  TRY(target.criu.dump(pid, folder / "process"));
  TRY(copy_recording(target.recording, folder / "recording", target.images));
  return base::write_file(folder / "image.json", encode_facts({.step = stop.step,
                                                               .pid = pid,
                                                               .out = name_of_open(pipes.out),
                                                               .err = name_of_open(pipes.err),
                                                               .recording = target.recording,
                                                               .replayed = target.replayed,
                                                               .rank = target.rank,
                                                               .has_gpu_memory = stop.has_gpu_memory()}));
}

// Returns the image's size on disk, without what it shares with the previous one. The process stays stopped;
// on an error nothing of the image is left.
Result<std::uint64_t> freeze(pid_t pid, const Stop& stop, const OutputPipes& pipes,
                             const FreezeTarget& target, SharedPages& shared) {
  for (const int pipe : {pipes.out, pipes.err}) wait_until_read(pipe);
  const fs::path folder = target.images / image_name(stop.step);
  if (const auto filled = fill(folder, pid, stop, pipes, target); !filled.ok()) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return filled.error();
  }
  (void)shared.remove_known(folder / "process", pid).ok();  // the image is good anyway, only larger
  return bytes_on_disk(folder);
}

constexpr int kSupervisorFailed = 2;
// PIDs up to this one stay free for CRIU and this process when an image is restored.
constexpr int kLastReservedPid = 299;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int report_error(const OutputPipes& pipes, const Error& error) {
  base::write_all(pipes.error, error.where.empty() ? error.why : error.where + ": " + error.why);
  return kSupervisorFailed;
}

// In its own session and with only its three streams open: CRIU cannot freeze what is shared with others.
Result<pid_t> start(const Program& program, const OutputPipes& pipes) {
  std::ofstream("/proc/sys/kernel/ns_last_pid") << kLastReservedPid;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipes.out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipes.err, STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (!program.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, program.folder.c_str());
  sigset_t as_usual;
  ::sigemptyset(&as_usual);
  ::posix_spawnattr_setsigmask(&attributes, &as_usual);
  ::sigaddset(&as_usual, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &as_usual);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int fault = ::posix_spawn(
      &pid, process::program_for(program.argv.front(), program.environment).c_str(), &actions, &attributes,
      process::pointers_to(program.argv).data(), process::pointers_to(program.environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault == 0) return pid;
  return Error{"cannot run the command", program.argv.front(), std::strerror(fault), ""};
}

void resume(pid_t pid) {
  ::kill(pid, SIGCONT);
}

// Waits for the process to end; reaps orphans too.
int wait_for_end(pid_t pid, const std::function<void()>& on_stop) {
  for (;;) {
    int status = 0;
    const pid_t changed = ::waitpid(-1, &status, WUNTRACED);
    if (changed < 0 && errno != EINTR) return kSupervisorFailed;
    if (changed != pid) continue;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    if (WIFSTOPPED(status)) on_stop();
  }
}

Result<std::uint64_t> freeze_if_possible(pid_t pid, const Stop& stop, const OutputPipes& pipes,
                                         const FreezeTarget& target, SharedPages& shared) {
  if (stop.is_for_image()) return freeze(pid, stop, pipes, target, shared);
  return Error{"cannot freeze the process", "", stop.error, ""};
}

void take_image(pid_t pid, const Stop& stop, const OutputPipes& pipes, const FreezeTarget& target,
                SharedPages& shared, const ProgressEvents& events) {
  const Clock::time_point begin = Clock::now();
  const Result<std::uint64_t> bytes = freeze_if_possible(pid, stop, pipes, target, shared);
  if (bytes.ok()) {
    events.on_image(stop.step, seconds_since(begin), bytes.value());
  } else {
    Orders without = target.orders;
    without.image_every = 0;
    (void)write_orders(target.recording, without).ok();
    events.on_no_image(stop.step, bytes.error());
  }
  resume(pid);
}

}  // namespace

int supervise_program(const Sandbox& sandbox, const OutputPipes& pipes, const Program& program,
                      const FreezeTarget& target, const ProgressEvents& events) {
  const Result<pid_t> pid = start(program, pipes);
  if (!pid.ok()) return report_error(pipes, pid.error());
  SharedPages shared;
  return wait_for_end(pid.value(), [&] {
    const auto stop = read_stop(target.recording);
    if (stop && (stop->is_for_image() || stop->why == Stop::Why::kCannotBeFrozen)) {
      take_image(pid.value(), *stop, pipes, target, shared, events);
    } else {
      events.on_stop(sandbox.outer_pid(pid.value()), pid.value());
    }
  });
}

int supervise_restored(const Sandbox& sandbox, const OutputPipes& pipes, const Criu& criu, const Image& image,
                       const fs::path& recording, const ProgressEvents& events) {
  const Clock::time_point begin = Clock::now();
  // By descriptor: the copy's recording may be mounted over the folder that holds the images.
  const int folder = ::open((image.folder / "process").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const ImageFacts& facts = image.facts;
  if (const auto mounted = sandbox.bind_mount(recording, facts.recording); !mounted.ok())
    return report_error(pipes, mounted.error());
  for (const int pipe : {pipes.out, pipes.err}) ::fcntl(pipe, F_SETFD, 0);
  const auto restored = criu.restore(fmt::format("/proc/{}/fd/{}", ::getpid(), folder),
                                     fmt::format("restore.{}.log", recording.filename().string()),
                                     {{pipes.out, facts.out}, {pipes.err, facts.err}});
  if (!restored.ok()) return report_error(pipes, restored.error());
  events.on_restored(facts.step, seconds_since(begin));
  resume(facts.pid);
  return wait_for_end(facts.pid, [&] { events.on_stop(sandbox.outer_pid(facts.pid), facts.pid); });
}

}  // namespace lockstep::checkpoint
