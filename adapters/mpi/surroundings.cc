#include "surroundings.h"

#include <cstdint>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/recorder.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace lockstep::adapters::mpi {
namespace {

void tell(const char* key, const char* value) {
  lockstep_set_attribute(key, ::strlen(key), value, ::strlen(value));
}

// By size and time: reading it whole would take time where it is large.
void tell_program() {
  char path[PATH_MAX] = {};
  struct stat found {};
  if (::readlink("/proc/self/exe", path, sizeof path - 1) <= 0 || ::stat(path, &found) != 0) return;
  const char* const slash = ::strrchr(path, '/');
  char key[PATH_MAX + 16];
  char value[96];
  ::snprintf(key, sizeof key, "program %s", slash == nullptr ? path : slash + 1);
  ::snprintf(value, sizeof value, "%lld bytes of %lld.%09ld", static_cast<long long>(found.st_size),
             static_cast<long long>(found.st_mtim.tv_sec), found.st_mtim.tv_nsec);
  tell(key, value);
}

void tell_processor() {
#ifdef __x86_64__
  constexpr unsigned kFirstPart = 0x80000002;
  unsigned words[3 * 4 + 1] = {};
  for (unsigned part = 0; part < 3; ++part) {
    unsigned* const at = words + part * 4;
    if (__get_cpuid(kFirstPart + part, at, at + 1, at + 2, at + 3) == 0) return;
  }
  tell("platform processor", reinterpret_cast<const char*>(words));
#endif
}

}  // namespace

void tell_surroundings() {
  tell_program();
  tell_processor();
}

}  // namespace lockstep::adapters::mpi
