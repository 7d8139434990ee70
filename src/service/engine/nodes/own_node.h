// Which node of its attempt this process is on, as the cluster's launcher tells it.
#pragma once

#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/text_fields.h"

namespace lockstep::service {

// Said to a pod, which no launcher tells.
inline constexpr const char* kNodeNumberVariable = "LOCKSTEP_NODE";
inline constexpr const char* kNodeNameVariable = "LOCKSTEP_NODE_NAME";

inline std::optional<int> own_node() {
  for (const char* name : {kNodeNumberVariable, "SLURM_NODEID"}) {
    if (const char* number = std::getenv(name)) return base::number_in<int>(std::string_view(number));
  }
  return std::nullopt;
}

}  // namespace lockstep::service
