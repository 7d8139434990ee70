// /dev/urandom and /dev/random, opened and read: PyTorch's torch.seed() does that. A descriptor is remembered
// when it is opened and looked at again when it is read, since it may have become another file's.
#include <atomic>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"

namespace lockstep::entropy {
namespace {

constexpr int kMostDescriptors = 1024;
std::atomic<bool> is_device[kMostDescriptors];
std::atomic<bool> has_devices{false};

using Open = int(const char*, int, ...);
using Read = ssize_t(int, void*, size_t);
using Close = int(int);
Open* next_open = nullptr;
Open* next_open64 = nullptr;
Read* next_read = nullptr;
Close* next_close = nullptr;

bool is_known(int file) {
  return has_devices.load(std::memory_order_relaxed) && file >= 0 && file < kMostDescriptors &&
         is_device[file].load(std::memory_order_relaxed);
}

int opened(const char* path, int file) {
  if (file < 0 || file >= kMostDescriptors || path == nullptr) return file;
  if (::strcmp(path, "/dev/urandom") != 0 && ::strcmp(path, "/dev/random") != 0) return file;
  is_device[file].store(true, std::memory_order_relaxed);
  has_devices.store(true, std::memory_order_relaxed);
  return file;
}

bool is_still_device(int file) {
  constexpr dev_t kMemoryDevices = 1;
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISCHR(status.st_mode)) return false;
  const dev_t minor = status.st_rdev & 0xff;
  return status.st_rdev >> 8 == kMemoryDevices && (minor == 8 || minor == 9);
}

mode_t mode_from(int flags, va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace lockstep::entropy

using namespace lockstep::entropy;

LOCKSTEP_INTERPOSED int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_from(flags, arguments);
  va_end(arguments);
  return opened(path, next_of("open", next_open)(path, flags, mode));
}

LOCKSTEP_INTERPOSED int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_from(flags, arguments);
  va_end(arguments);
  return opened(path, next_of("open64", next_open64)(path, flags, mode));
}

LOCKSTEP_INTERPOSED ssize_t read(int file, void* to, size_t bytes) {
  if (!is_known(file) || !is_still_device(file)) return next_of("read", next_read)(file, to, bytes);
  if (lockstep_serve_entropy(to, bytes) != 0) return static_cast<ssize_t>(bytes);
  const ssize_t got = next_of("read", next_read)(file, to, bytes);
  if (got > 0) lockstep_keep_entropy(to, static_cast<size_t>(got));
  return got;
}

LOCKSTEP_INTERPOSED int close(int file) {
  if (is_known(file)) is_device[file].store(false, std::memory_order_relaxed);
  return next_of("close", next_close)(file);
}
