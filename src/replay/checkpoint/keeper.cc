#include "replay/checkpoint/keeper.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/environment.h"
#include "base/process/spawn.h"
#include "replay/stop.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kCouldNotDoIt = 2;
// Numbers below it are free in a room where an image is restored: those of CRIU and of this process.
constexpr int kLastFreePid = 299;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int refuse(const Outlets& outlets, const Error& error) {
  base::write_all(outlets.trouble, error.where.empty() ? error.why : error.where + ": " + error.why);
  return kCouldNotDoIt;
}

// In a session of its own and with nothing open but its three streams: what is shared with others cannot be
// frozen.
Result<pid_t> start(const Program& program, const Outlets& outlets) {
  std::ofstream("/proc/sys/kernel/ns_last_pid") << kLastFreePid;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, outlets.out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, outlets.err, STDERR_FILENO);
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

void go_on(pid_t pid) {
  ::kill(pid, SIGCONT);
}

// Waits for the end of the process; orphans are buried too.
int keep(pid_t pid, const std::function<void()>& on_stop) {
  for (;;) {
    int status = 0;
    const pid_t changed = ::waitpid(-1, &status, WUNTRACED);
    if (changed < 0 && errno != EINTR) return kCouldNotDoIt;
    if (changed != pid) continue;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    if (WIFSTOPPED(status)) on_stop();
  }
}

Result<std::uint64_t> try_freezing(pid_t pid, const replay::Stop& stop, const Outlets& outlets,
                                   const Freezing& freezing, SharedPages& shared) {
  if (stop.is_for_image()) return freeze(pid, stop, outlets, freezing, shared);
  return Error{"cannot freeze the process", "", stop.error, ""};
}

void take_image(pid_t pid, const replay::Stop& stop, const Outlets& outlets, const Freezing& freezing,
                SharedPages& shared, const Telling& telling) {
  const Clock::time_point begin = Clock::now();
  const Result<std::uint64_t> bytes = try_freezing(pid, stop, outlets, freezing, shared);
  if (bytes.ok()) {
    telling.on_image(stop.step, seconds_since(begin), bytes.value());
  } else {
    replay::Orders without = freezing.orders;
    without.image_every = 0;
    (void)replay::write_orders(freezing.recording, without).ok();
    telling.on_no_image(stop.step, bytes.error());
  }
  go_on(pid);
}

}  // namespace

int keep_program(const Room& room, const Outlets& outlets, const Program& program, const Freezing& freezing,
                 const Telling& telling) {
  const Result<pid_t> pid = start(program, outlets);
  if (!pid.ok()) return refuse(outlets, pid.error());
  SharedPages shared;
  return keep(pid.value(), [&] {
    const auto stop = replay::read_stop(freezing.recording);
    if (stop && (stop->is_for_image() || stop->why == replay::Stop::Why::kCannotBeFrozen)) {
      take_image(pid.value(), *stop, outlets, freezing, shared, telling);
    } else {
      telling.on_stop(room.outer_number(pid.value()), pid.value());
    }
  });
}

int keep_image(const Room& room, const Outlets& outlets, const Criu& criu, const Image& image,
               const fs::path& recording, const Telling& telling) {
  const Clock::time_point begin = Clock::now();
  // Reached by descriptor: the copy's recording may be shown in the place of the folder in which images are.
  const int folder = ::open((image.folder / "process").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const ImageFacts& facts = image.facts;
  if (const auto shown = room.show(recording, facts.recording); !shown.ok())
    return refuse(outlets, shown.error());
  for (const int outlet : {outlets.out, outlets.err}) ::fcntl(outlet, F_SETFD, 0);
  const auto restored = criu.restore(fmt::format("/proc/{}/fd/{}", ::getpid(), folder),
                                     fmt::format("restore.{}.log", recording.filename().string()),
                                     {{outlets.out, facts.out}, {outlets.err, facts.err}});
  if (!restored.ok()) return refuse(outlets, restored.error());
  telling.on_restored(facts.step, seconds_since(begin));
  go_on(facts.pid);
  return keep(facts.pid, [&] { telling.on_stop(room.outer_number(facts.pid), facts.pid); });
}

}  // namespace lockstep::checkpoint
