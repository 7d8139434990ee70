// Random bytes as a program gets them: from the recording in a replay, else from the system, and kept.
#pragma once

#include <cstddef>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lockstep/payload.h"

#define LOCKSTEP_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace lockstep::entropy {

// The function that would have been called without this library.
template <typename Function>
Function* next_of(const char* name, Function*& known) {
  if (known == nullptr) known = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
  return known;
}

// As many as the system gives at once, or less than 0 and errno.
inline long ask_system(void* to, std::size_t bytes, unsigned flags) {
  return ::syscall(SYS_getrandom, to, bytes, flags);
}

inline long take(void* to, std::size_t bytes, unsigned flags) {
  if (lockstep_serve_entropy(to, bytes) != 0) return static_cast<long>(bytes);
  const long got = ask_system(to, bytes, flags);
  if (got > 0) lockstep_keep_entropy(to, static_cast<std::size_t>(got));
  return got;
}

// All of them, as calls that cannot fail give them.
inline void take_all(void* to, std::size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const std::size_t piece = bytes < 256 ? bytes : 256;  // which the system gives whole
    const long got = take(at, piece, 0);
    if (got <= 0) continue;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace lockstep::entropy
