#include "base/process/descendants.h"

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/descriptor.h"

namespace lockstep::process {
namespace {

constexpr pid_t kEnded = -1;
constexpr int kMaxDepth = 4096;  // parents change while they are followed: no way up is longer
constexpr int kTries = 4;  // one on the way may end meanwhile; then others are below this process itself

// As getdents64 writes it: readdir() would take memory for it.
struct Entry {
  std::uint64_t inode;
  std::int64_t next;
  std::uint16_t bytes;
  std::uint8_t type;
  char name[1];
};

pid_t number_in(std::string_view text) {
  pid_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// 0: none here; kEnded: it has ended.
pid_t parent_of(int proc, pid_t pid) {
  char text[512];
  std::snprintf(text, sizeof text, "%d/stat", pid);
  const Descriptor file(::openat(proc, text, O_RDONLY | O_CLOEXEC));
  const ssize_t size = file.is_open() ? ::read(file.get(), text, sizeof text) : -1;
  if (size <= 0) return kEnded;
  const std::string_view line(text, static_cast<std::size_t>(size));
  constexpr std::size_t kToParent = 4;  // ") S 1": the name before it may hold anything
  const std::size_t bracket = line.rfind(')');
  if (bracket == std::string_view::npos || bracket + kToParent >= line.size()) return kEnded;
  return number_in(line.substr(bracket + kToParent));
}

// The last one on the way up that is `top`, `without`, or has no parent; kEnded: the way broke off.
pid_t end_of_way_up(int proc, pid_t pid, pid_t top, pid_t without) {
  for (int depth = 0; depth < kMaxDepth && pid > 0 && pid != top && pid != without; ++depth)
    pid = parent_of(proc, pid);
  return pid;
}

bool is_below(int proc, pid_t pid, pid_t top, pid_t without) {
  if (pid == top) return false;
  pid_t last = kEnded;
  for (int tries = 0; last == kEnded && tries < kTries; ++tries)
    last = end_of_way_up(proc, pid, top, without);
  return last == top;
}

// A pidfd holds one process; what is found out after it was opened is true of what it holds, or of nobody.
bool signal_if_below(int proc, pid_t pid, int number, pid_t without) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!handle.is_open() || !is_below(proc, pid, ::getpid(), without)) return false;
  return ::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0) == 0 || errno == EPERM;
}

}  // namespace

int signal_descendants(int number, pid_t without) noexcept {
  const Descriptor proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc.is_open()) return -1;
  int found = 0;
  alignas(Entry) char entries[1 << 14];
  for (;;) {
    const auto size = ::syscall(SYS_getdents64, proc.get(), entries, sizeof entries);
    if (size < 0) return -1;
    if (size == 0) return found;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(entries + at);
      at += entry->bytes;
      const pid_t pid = number_in(entry->name);
      if (pid > 0 && signal_if_below(proc.get(), pid, number, without)) ++found;
    }
  }
}

}  // namespace lockstep::process
