// Which node of its attempt this process is on, as the cluster's launcher tells it.
#pragma once

#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/text_fields.h"

namespace lockstep::service {

inline std::optional<int> own_node() {
  const char* number = std::getenv("SLURM_NODEID");
  return number == nullptr ? std::nullopt : base::number_in<int>(std::string_view(number));
}

}  // namespace lockstep::service
