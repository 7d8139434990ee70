// The environment of a job with the recorder switched on, and nothing else changed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/installed.h"

namespace lockstep::launch {

struct RecorderSettings {
  std::filesystem::path folder;  // absolute
  std::string job;
  std::optional<std::string> max_record_size;  // "512M", for each rank
  bool is_ring = true;                         // at that size; false: new events are dropped
  bool checksums = false;
  int stack_signal = 0;  // asks Python for its stacks; the user's own setting comes before it
};

// `environment` as "NAME=VALUE".
std::vector<std::string> with_recorder(std::vector<std::string> environment, const Installed& parts,
                                       const RecorderSettings& settings);

}  // namespace lockstep::launch
