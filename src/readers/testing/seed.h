// Real files of foreign formats, which the fuzz targets start from too.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace lockstep::readers::testing {

inline std::string seed(const std::string& name) {
  const std::filesystem::path seeds = LOCKSTEP_SOURCE_DIR "/tests/fuzz/seeds";
  std::ifstream file(seeds / name, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace lockstep::readers::testing
