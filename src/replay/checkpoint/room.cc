#include "replay/checkpoint/room.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"

namespace lockstep::checkpoint {
namespace {

constexpr std::size_t kMostBytes = 1 << 16;

// A small file below a folder that is open, as /proc has them.
std::string read_below(int folder, const std::string& path) {
  const int fd = ::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string text(kMostBytes, '\0');
  const ssize_t bytes = ::read(fd, text.data(), text.size());
  ::close(fd);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

// The last number in the line of all namespaces of a process is that in its own.
bool is_known_inside_as(const std::string& status, pid_t inner) {
  const std::size_t line = status.find("\nNSpid:");
  if (line == std::string::npos) return false;
  const std::string numbers = status.substr(line + 1, status.find('\n', line + 1) - line - 1);
  return numbers.ends_with("\t" + std::to_string(inner));
}

}  // namespace

Result<pid_t> Room::start(const std::function<int(Room&)>& inside) {
  const long pid = ::syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, nullptr, nullptr, nullptr, 0);
  if (pid < 0) {
    return Error{"no process images", "", fmt::format("cannot make namespaces: {}", std::strerror(errno)),
                 "the rights of root are needed for images"};
  }
  if (pid > 0) return static_cast<pid_t>(pid);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Room room;
  ::_exit(inside(room));
}

Result<void> Room::furnish() {
  outer_proc_ = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return base::error_from_errno("cannot mount", "/proc");
  return {};
}

Result<void> Room::leave_network() const {
  if (::unshare(CLONE_NEWNET) != 0) return base::error_from_errno("cannot make a network", "");
  const process::Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0) return {};
  return base::error_from_errno("cannot set up a network", "lo");
}

Result<void> Room::show(const std::filesystem::path& folder, const std::filesystem::path& place) const {
  if (::mount(folder.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0) return {};
  return base::error_from_errno("cannot show the recording of a copy", place);
}

pid_t Room::outer_number(pid_t child) const {
  char self[32] = {};
  if (::readlinkat(outer_proc_, "self", self, sizeof self - 1) <= 0) return 0;
  std::istringstream children(read_below(outer_proc_, fmt::format("{0}/task/{0}/children", self)));
  for (pid_t outer = 0; children >> outer;) {
    if (is_known_inside_as(read_below(outer_proc_, fmt::format("{}/status", outer)), child)) return outer;
  }
  return 0;
}

}  // namespace lockstep::checkpoint
