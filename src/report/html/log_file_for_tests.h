// A log for tests, as readers hand them on.
#pragma once

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "readers/log_file.h"

namespace lockstep::html::testing {

inline readers::LogFile log_file(std::string name, std::string_view text,
                                 std::optional<int> rank = std::nullopt) {
  char* data = static_cast<char*>(std::malloc(text.size() + 1));
  std::memcpy(data, text.data(), text.size());
  return {.name = std::move(name), .rank = rank, .bytes = readers::Bytes::from_malloc(data, text.size())};
}

}  // namespace lockstep::html::testing
