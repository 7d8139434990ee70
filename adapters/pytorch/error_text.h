// What an exception says, as a text of the record: without the C++ stack that PyTorch appends, and not too
// long.
#pragma once

#include <cstdint>
#include <cstring>

#include "lockstep/recorder.h"

namespace lockstep::pytorch {

inline std::size_t length_without_stack(const char* what) {
  const char* const stack = std::strstr(what, "\nException raised from ");
  return stack != nullptr ? static_cast<std::size_t>(stack - what) : std::strlen(what);
}

inline std::uint32_t intern_error(const char* what) {
  constexpr std::size_t kMostBytes = 512;
  const std::size_t bytes = length_without_stack(what);
  return lockstep_intern_string(what, bytes > kMostBytes ? kMostBytes : bytes);
}

}  // namespace lockstep::pytorch
