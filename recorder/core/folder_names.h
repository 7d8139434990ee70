// The names in a folder without opendir, which would allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::recorder {

// False when it cannot be read.
template <typename Visit>
bool for_each_name(const char* folder, Visit visit) {
  constexpr std::size_t kNameOffset = 19;  // of struct linux_dirent64: behind inode, offset, length and kind
  const int descriptor = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  alignas(8) char buffer[32768];
  long got = 0;
  while ((got = ::syscall(SYS_getdents64, descriptor, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < got;) {
      std::uint16_t length = 0;
      ::memcpy(&length, buffer + at + kNameOffset - 3, sizeof length);
      visit(static_cast<const char*>(buffer + at + kNameOffset));
      at += length;
    }
  }
  ::close(descriptor);
  return got == 0;
}

}  // namespace lockstep::recorder
