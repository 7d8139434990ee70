// What a job left in its own folder: everything there but the files that came with its request.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process/descriptor.h"

namespace lockstep::service {

struct Artifact {
  std::string path;  // below the folder
  std::int64_t bytes = 0;
  std::int64_t changed_ms = 0;
};

struct Artifacts {
  std::vector<Artifact> found;  // ordered by path
  bool is_cut = false;          // there are more
};

Artifacts artifacts_in(const std::filesystem::path& folder,
                       const std::map<std::string, std::string>& brought);

// A regular file below the folder, reached without a link on the way. None: there is no such file.
std::optional<process::Descriptor> open_artifact(const std::filesystem::path& folder,
                                                 const std::string& path);

}  // namespace lockstep::service
