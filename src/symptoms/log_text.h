// One log as its caller holds it, usually mapped memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::symptoms {

struct LogText {
  std::string name;
  std::string_view bytes;
  std::optional<int> rank;  // where the whole file is one rank's
};

}  // namespace lockstep::symptoms
