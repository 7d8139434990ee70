// Where a value of the configuration was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::config {

struct Origin {
  std::string file = {};  // as the user named it; empty: the command line or the environment of this process
  std::optional<std::int64_t> line = {};
  std::string how =
      {};  // "flag --nnodes", "variable MASTER_ADDR", "default of torchrun", "key spec.replicas"

  bool operator==(const Origin&) const = default;
};

}  // namespace lockstep::config
