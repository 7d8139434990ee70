// The facts that a rank's record file tells of its process, by name.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace lockstep::replay {

// The last value of each; a thousand names at most. Empty when the file cannot be read.
using Attributes = std::map<std::string, std::string>;
Attributes attributes_in(const std::filesystem::path& record_file);

}  // namespace lockstep::replay
