#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <unistd.h>

namespace lockstep::base {

void fail_check(const char* file, int line, const char* condition, std::string_view meaning) {
  std::fprintf(stderr, "lockstep: internal error at %s:%d: %.*s (%s)\n", file, line,
               static_cast<int>(meaning.size()), meaning.data(), condition);
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  std::fprintf(stderr, "This is a bug in lockstep. Please report it with the lines above.\n");
  std::abort();
}

}  // namespace lockstep::base
