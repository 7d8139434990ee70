#include "replay/checkpoint/sandbox.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "base/process/signal_gate.h"

namespace lockstep::checkpoint {

namespace {

constexpr std::size_t kMaxProcBytes = 1 << 16;

// A small file below a folder that is open, as /proc has them.
std::string read_below(int folder, const std::string& path) {
  const int fd = ::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string text(kMaxProcBytes, '\0');
  const ssize_t bytes = ::read(fd, text.data(), text.size());
  ::close(fd);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

// The last number of the line NSpid is the PID in the innermost namespace.
bool is_known_inside_as(const std::string& status, pid_t inner) {
  const std::size_t line = status.find("\nNSpid:");
  if (line == std::string::npos) return false;
  const std::string numbers = status.substr(line + 1, status.find('\n', line + 1) - line - 1);
  return numbers.ends_with("\t" + std::to_string(inner));
}

}  // namespace

Result<pid_t> Sandbox::start(const std::function<int(Sandbox&)>& inside) {
  const long pid = ::syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, nullptr, nullptr, nullptr, 0);
  if (pid < 0) {
    return Error{"no process images", "", fmt::format("cannot make namespaces: {}", std::strerror(errno)),
                 "the rights of root are needed for images"};
  }
  if (pid > 0) return static_cast<pid_t>(pid);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Sandbox sandbox;
  ::_exit(inside(sandbox));
}

Result<void> Sandbox::mount_own_proc() {
  outer_proc_ = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return base::error_from_errno("cannot mount", "/proc");
  return {};
}

Result<void> Sandbox::isolate_network() const {
  if (::unshare(CLONE_NEWNET) != 0) return base::error_from_errno("cannot make a network", "");
  const process::Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0) return {};
  return base::error_from_errno("cannot set up a network", "lo");
}

Result<void> Sandbox::bind_mount(const std::filesystem::path& folder,
                                 const std::filesystem::path& place) const {
  if (::mount(folder.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0) return {};
  return base::error_from_errno("cannot show the recording of a copy", place);
}

pid_t Sandbox::outer_pid(pid_t child) const {
  char self[32] = {};
  if (::readlinkat(outer_proc_, "self", self, sizeof self - 1) <= 0) return 0;
  std::istringstream children(read_below(outer_proc_, fmt::format("{0}/task/{0}/children", self)));
  for (pid_t outer = 0; children >> outer;) {
    if (is_known_inside_as(read_below(outer_proc_, fmt::format("{}/status", outer)), child)) return outer;
  }
  return 0;
}

namespace {

using process::Descriptor;

constexpr int kSandboxFailed = 2;

struct OutputRoute {
  Descriptor from;
  std::function<void(std::string_view)> to;
};

struct RunningSandbox {
  pid_t pid = 0;
  std::string error = {};
};

Result<std::array<Descriptor, 2>> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::error_from_errno("cannot make a pipe", "");
  return std::array<Descriptor, 2>{Descriptor(ends[0]), Descriptor(ends[1])};
}

int enter(Sandbox& sandbox, const SandboxTask& task, const OutputPipes& pipes) {
  Result<void> prepared = sandbox.mount_own_proc();
  if (prepared.ok() && task.has_own_network) prepared = sandbox.isolate_network();
  if (prepared.ok()) return task.inside(sandbox, pipes);
  base::write_all(pipes.error, prepared.error().why);
  return kSandboxFailed;
}

Result<pid_t> start_task(const SandboxTask& task, std::string& error, std::vector<OutputRoute>& routes) {
  std::array<Descriptor, 2> out = TRY(make_pipe());
  std::array<Descriptor, 2> err = TRY(make_pipe());
  std::array<Descriptor, 2> errors = TRY(make_pipe());
  const OutputPipes pipes{out[1].get(), err[1].get(), errors[1].get()};
  const pid_t pid = TRY(Sandbox::start([&](Sandbox& sandbox) { return enter(sandbox, task, pipes); }));
  routes.push_back({std::move(out[0]), task.on_out});
  routes.push_back({std::move(err[0]), task.on_err});
  routes.push_back({std::move(errors[0]), [&error](std::string_view text) { error += text; }});
  return pid;
}

// False: the writing end is closed.
bool forward(OutputRoute& route) {
  char bytes[1 << 16];
  const ssize_t count = ::read(route.from.get(), bytes, sizeof bytes);
  if (count > 0) route.to({bytes, static_cast<std::size_t>(count)});
  return count > 0 || (count < 0 && errno == EINTR);
}

void forward_all(std::vector<OutputRoute> routes, const std::vector<RunningSandbox>& sandboxes) {
  const process::SignalGate gate({SIGINT, SIGTERM});
  while (!routes.empty()) {
    std::vector<pollfd> polled{{gate.fd(), POLLIN, 0}};
    for (const OutputRoute& route : routes) polled.push_back({route.from.get(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (gate.next()) {
      for (const RunningSandbox& sandbox : sandboxes) {
        if (sandbox.pid > 0) ::kill(sandbox.pid, SIGKILL);
      }
    }
    for (std::size_t i = routes.size(); i-- > 0;) {
      if (polled[i + 1].revents != 0 && !forward(routes[i]))
        routes.erase(routes.begin() + static_cast<long>(i));
    }
  }
}

Result<int> wait_for(const RunningSandbox& sandbox) {
  int status = 0;
  while (::waitpid(sandbox.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!sandbox.error.empty()) return Error{"no process images", "", sandbox.error, ""};
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::vector<Result<int>> run_sandboxes(const std::vector<SandboxTask>& tasks) {
  std::vector<RunningSandbox> sandboxes(tasks.size());
  std::vector<Error> refused(tasks.size());
  std::vector<OutputRoute> routes;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Result<pid_t> pid = start_task(tasks[i], sandboxes[i].error, routes);
    if (pid.ok()) {
      sandboxes[i].pid = pid.value();
    } else {
      refused[i] = pid.error();
    }
  }
  forward_all(std::move(routes), sandboxes);
  std::vector<Result<int>> ends;
  for (std::size_t i = 0; i < sandboxes.size(); ++i)
    ends.push_back(sandboxes[i].pid > 0 ? wait_for(sandboxes[i]) : Result<int>(refused[i]));
  return ends;
}

}  // namespace lockstep::checkpoint
