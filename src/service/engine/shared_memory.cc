#include "service/engine/shared_memory.h"

#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"

namespace lockstep::service {
namespace {

bool write_map(const char* path, const std::string& text) {
  const process::Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.is_open() && base::write_all(file.get(), text);
}

bool enter_namespaces() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const std::string user = fmt::format("{0} {0} 1", ::geteuid());
  const std::string group = fmt::format("{0} {0} 1", ::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return write_map("/proc/self/setgroups", "deny") && write_map("/proc/self/uid_map", user) &&
         write_map("/proc/self/gid_map", group);
}

}  // namespace

bool enter_own_shared_memory(std::int64_t bytes) {
  if (!enter_namespaces()) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV,
                 fmt::format("size={},mode=1777", bytes).c_str()) == 0;
}

}  // namespace lockstep::service
