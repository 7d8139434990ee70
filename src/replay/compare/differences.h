// One side of a comparison with all that is known of its run, and in what two runs differ besides their
// calls.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/payload.h"

namespace lockstep::replay {

struct Run {
  const record::Payload& payload;
  std::filesystem::path record_file;
};

// Program, libraries, platform; then command, folder and variables.
std::vector<std::string> differences_between(const Run& first, const Run& second);

}  // namespace lockstep::replay
