#include "leave_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace lockstep::adapters::mpi {

bool is_solo() {
  static const bool is = [] {
    const char* const recording = ::getenv("LOCKSTEP_REPLAY");
    return recording != nullptr && recording[0] != '\0';
  }();
  return is;
}

void leave_replay(const char* why) {
  char line[320];
  const int bytes = ::snprintf(line, sizeof line, "lockstep replay: %s\n", why);
  if (bytes > 0 && ::write(STDERR_FILENO, line, ::strlen(line)) < 0) ::exit(1);
  ::exit(1);
}

}  // namespace lockstep::adapters::mpi
