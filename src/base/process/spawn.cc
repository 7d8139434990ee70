#include "base/process/spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

#include "base/process/environment.h"

namespace lockstep::process {
namespace {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Only the reading end does not block: the flag belongs to the open file, and the job must not meet it.
Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{"cannot make a pipe", "", std::strerror(errno), ""};
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// Where a job writes, and where that is read.
struct Outputs {
  Descriptor out;
  Descriptor err;
  Descriptor from_out;
  Descriptor from_err;
};

Result<Outputs> pipe_outputs() {
  Pipe out = TRY(make_pipe());
  Pipe err = TRY(make_pipe());
  return Outputs{std::move(out.write_end), std::move(err.write_end), std::move(out.read_end),
                 std::move(err.read_end)};
}

Result<Outputs> terminal_output() {
  TerminalPair pair = TRY(make_terminal_pair());
  Descriptor err(::fcntl(pair.the_jobs.get(), F_DUPFD_CLOEXEC, 0));
  return Outputs{std::move(pair.the_jobs), std::move(err), std::move(pair.ours), Descriptor()};
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void connect(const Descriptor& from, int to) {
    ::posix_spawn_file_actions_adddup2(&actions_, from.get(), to);
  }
  void read_nothing() {
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

bool is_ignored(int number) {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// How whoever started this program wanted signals to be: taken before anything else of it runs.
struct InheritedSignals {
  InheritedSignals() {
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    ::sigemptyset(&ignored);
    for (int number = 1; number < NSIG; ++number) {
      if (is_ignored(number)) ::sigaddset(&ignored, number);
    }
  }
  sigset_t blocked;
  sigset_t ignored;
};
const InheritedSignals kInherited;

// Those that this program ignores for its own sake.
sigset_t ignored_by_us() {
  sigset_t ours;
  ::sigemptyset(&ours);
  for (int number = 1; number < NSIG; ++number) {
    if (is_ignored(number) && ::sigismember(&kInherited.ignored, number) == 0) ::sigaddset(&ours, number);
  }
  return ours;
}

class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    const sigset_t ours = ignored_by_us();
    ::posix_spawnattr_setsigmask(&attributes_, &kInherited.blocked);
    ::posix_spawnattr_setsigdefault(&attributes_, &ours);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// What to type for a file of this folder.
std::string how_to_run(const std::string& file, bool is_executable) {
  if (is_executable) return "type ./" + file;
  const std::string allow = "make it executable: chmod +x " + file;
  if (file.ends_with(".py")) return "type python " + file + ", or " + allow;
  return file.ends_with(".sh") ? "type bash " + file + ", or " + allow : allow;
}

// Where PATH is not set, or names this folder by an empty word, exec looks in more places than program_for.
bool leads_only_to_what_it_names() {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return false;
  const std::string framed = ":" + std::string(path) + ":";
  return framed.find("::") == std::string::npos;
}

}  // namespace

Result<Spawned> spawn(const Command& command) {
  if (command.argv.empty()) return Error{"cannot start", "", "the command is empty", ""};
  Outputs outputs = TRY(command.on_a_terminal ? terminal_output() : pipe_outputs());
  FileActions files;
  Pipe input;
  if (command.is_talked_to) {
    input = TRY(make_pipe());
    ::fcntl(input.read_end.get(), F_SETFL, 0);
    files.connect(input.read_end, STDIN_FILENO);
  } else if (::isatty(STDIN_FILENO) == 1) {
    files.read_nothing();
  }
  files.connect(outputs.out, STDOUT_FILENO);
  files.connect(outputs.err, STDERR_FILENO);
  const Attributes attributes;
  const std::vector<char*> argv = pointers_to(command.argv);
  const std::vector<char*> environment = pointers_to(command.environment);
  pid_t pid = 0;
  const int fault =
      ::posix_spawnp(&pid, argv[0], files.get(), attributes.get(), argv.data(), environment.data());
  if (fault != 0) {
    TRY(check_program(command.argv.front()));
    return Error{"cannot start", command.argv.front(), std::strerror(fault), ""};
  }
  return Spawned{pid, std::move(outputs.from_out), std::move(outputs.from_err), std::move(input.write_end)};
}

Result<void> check_program(const std::string& name) {
  const auto refused = [&](std::string why, std::string hint) {
    return Error{"cannot start", name, std::move(why), std::move(hint)};
  };
  const std::filesystem::path place = program_for(name, own_environment());
  std::error_code ignored;
  const bool is_here = std::filesystem::is_regular_file(place, ignored);
  if (name.find('/') == std::string::npos && place == name) {
    if (!leads_only_to_what_it_names()) return {};
    if (!is_here)
      return refused("No such program in PATH", "is it installed, and is its environment activated?");
    return refused("it is a file in this folder, not a program in PATH",
                   how_to_run(name, ::access(name.c_str(), X_OK) == 0));
  }
  if (std::filesystem::is_directory(place, ignored))
    return refused("it is a folder", "name a program inside it");
  if (::access(place.c_str(), X_OK) == 0) return {};
  if (!is_here) return refused(std::strerror(errno), "look at the path");
  return refused("it is not executable", how_to_run(name, false));
}

bool was_ignored_at_start(int signal) {
  return ::sigismember(&kInherited.ignored, signal) == 1;
}

Result<TerminalPair> make_terminal_pair() {
  const auto fault = [] { return Error{"cannot make a pseudo-terminal", "", std::strerror(errno), ""}; };
  TerminalPair pair{Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), Descriptor()};
  if (!pair.ours.is_open() || ::grantpt(pair.ours.get()) != 0 || ::unlockpt(pair.ours.get()) != 0)
    return fault();
  char name[128];
  if (::ptsname_r(pair.ours.get(), name, sizeof name) != 0) return fault();
  pair.the_jobs = Descriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.the_jobs.is_open()) return fault();
  termios settings{};
  if (::tcgetattr(pair.the_jobs.get(), &settings) == 0) {
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    ::tcsetattr(pair.the_jobs.get(), TCSANOW, &settings);
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) ::ioctl(pair.the_jobs.get(), TIOCSWINSZ, &size);
  ::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
  return pair;
}

bool prints_on_a_terminal() {
  return ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void take_what_is_there(Descriptor& from, std::string& kept, std::size_t max_bytes) {
  char chunk[1 << 14];
  while (from.is_open()) {
    const ssize_t count = ::read(from.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return from.close();
    const std::size_t room = max_bytes - std::min(max_bytes, kept.size());
    kept.append(chunk, std::min(room, static_cast<std::size_t>(count)));
  }
}

// Until nobody can write any more, or the deadline. A closed descriptor is -1, which poll passes over.
void read_until(Clock::time_point deadline, Spawned& program, std::size_t max_bytes, Captured& captured) {
  while (program.out.is_open() || program.err.is_open()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      captured.timed_out = true;
      return;
    }
    pollfd watched[] = {{.fd = program.out.get(), .events = POLLIN, .revents = 0},
                        {.fd = program.err.get(), .events = POLLIN, .revents = 0}};
    ::poll(watched, std::size(watched), static_cast<int>(std::min<decltype(left)>(left, 1 << 30)));
    take_what_is_there(program.out, captured.out, max_bytes);
    take_what_is_there(program.err, captured.err, max_bytes);
  }
}

// Whoever runs the job may reap it first; then there is nothing to wait for.
bool is_reaped_by(Clock::time_point deadline, pid_t pid) {
  constexpr milliseconds kLookAgain{2};
  for (;;) {
    const pid_t reaped = ::waitpid(pid, nullptr, WNOHANG);
    if (reaped == pid || (reaped < 0 && errno == ECHILD)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace

Result<Captured> capture(const Command& command, milliseconds time, std::size_t max_bytes) {
  constexpr milliseconds kDying{1'000};
  const auto deadline = Clock::now() + time;
  Spawned program = TRY(spawn(command));
  Captured captured;
  read_until(deadline, program, max_bytes, captured);
  if (captured.timed_out || !is_reaped_by(deadline, program.pid)) {
    captured.timed_out = true;
    ::kill(-program.pid, SIGKILL);
    is_reaped_by(Clock::now() + kDying, program.pid);
  }
  return captured;
}

}  // namespace lockstep::process
