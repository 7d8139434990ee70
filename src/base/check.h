// CHECK(condition, "what must hold"): an invariant of ours, tested in release builds too.
// A broken one is our bug, never the user's: it prints the place and a stack and aborts.
#pragma once

#include <string_view>

namespace lockstep::base {

[[noreturn]] void fail_check(const char* file, int line, const char* condition, std::string_view meaning);

}  // namespace lockstep::base

#define CHECK(condition, meaning)                                                            \
  do {                                                                                       \
    if (!(condition)) ::lockstep::base::fail_check(__FILE__, __LINE__, #condition, meaning); \
  } while (false)
