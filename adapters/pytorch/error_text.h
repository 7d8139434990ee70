// What an exception says, as a text of the record: without the C++ stack that PyTorch appends, and not too
// long.
#pragma once

#include <cstdint>
#include <cstring>

#include "lockstep/recorder.h"

namespace lockstep::pytorch {

inline std::uint32_t intern_error(const char* what) {
  constexpr std::size_t kMostBytes = 512;
  const char* const stack = std::strstr(what, "\nException raised from ");
  std::size_t bytes = stack != nullptr ? static_cast<std::size_t>(stack - what) : std::strlen(what);
  if (bytes > kMostBytes) bytes = kMostBytes;
  return lockstep_intern_string(what, bytes);
}

}  // namespace lockstep::pytorch
