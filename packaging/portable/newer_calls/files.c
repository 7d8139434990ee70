// statx (2.28), fcntl64 (2.28), getrandom and getentropy (2.25), arc4random (2.36).
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef SYS_statx
#if defined(__x86_64__)
#define SYS_statx 332
#else
#define SYS_statx 291
#endif
#endif
#ifndef SYS_getrandom
#if defined(__x86_64__)
#define SYS_getrandom 318
#else
#define SYS_getrandom 278
#endif
#endif

NEWER_CALL int statx(int folder, const char* path, int flags, unsigned mask, void* result) {
  return (int)syscall(SYS_statx, folder, path, flags, mask, result);
}

NEWER_CALL int fcntl64(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  return fcntl(descriptor, command, argument);
}

// Kernels before 3.17 do not have the call, but the file.
static ssize_t from_file(void* buffer, size_t length) {
  const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t count = read(file, buffer, length);
  close(file);
  return count;
}

NEWER_CALL ssize_t getrandom(void* buffer, size_t length, unsigned flags) {
  const ssize_t count = syscall(SYS_getrandom, buffer, length, flags);
  return count < 0 && errno == ENOSYS ? from_file(buffer, length) : count;
}

NEWER_CALL int getentropy(void* buffer, size_t length) {
  if (length > 256) {
    errno = EIO;
    return -1;
  }
  for (size_t done = 0; done < length;) {
    const ssize_t count = getrandom((char*)buffer + done, length - done, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return -1;
    done += (size_t)count;
  }
  return 0;
}

NEWER_CALL uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}
