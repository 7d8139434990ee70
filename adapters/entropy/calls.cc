// The calls of the C and C++ libraries that give random bytes of the system.
#include <errno.h>
#include <stdint.h>

#include "bytes.h"

using lockstep::entropy::take;
using lockstep::entropy::take_all;

// NOLINTBEGIN(readability-identifier-naming): names of others
LOCKSTEP_INTERPOSED ssize_t getrandom(void* to, size_t bytes, unsigned flags) {
  return take(to, bytes, flags);
}

LOCKSTEP_INTERPOSED int getentropy(void* to, size_t bytes) {
  if (bytes > 256) {
    errno = EIO;
    return -1;
  }
  take_all(to, bytes);
  return 0;
}

LOCKSTEP_INTERPOSED uint32_t arc4random(void) {
  uint32_t number = 0;
  take_all(&number, sizeof number);
  return number;
}

LOCKSTEP_INTERPOSED void arc4random_buf(void* to, size_t bytes) {
  take_all(to, bytes);
}

// std::random_device::operator(), whatever it takes them from.
LOCKSTEP_INTERPOSED unsigned _ZNSt13random_device9_M_getvalEv(void*) {
  unsigned number = 0;
  take_all(&number, sizeof number);
  return number;
}
// NOLINTEND(readability-identifier-naming)
