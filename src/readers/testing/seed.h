// The example files of the formats, which the fuzz targets begin with too.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "readers/source.h"

namespace lockstep::readers::testing {

// "nccl_ras_json/stopped.json"
inline std::string seed(const std::string& name) {
  std::ifstream file(std::filesystem::path(LOCKSTEP_FUZZ_SEEDS) / name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline Source source_of(std::string_view bytes) {
  return {.name = "input", .path = "input", .bytes = bytes};
}

}  // namespace lockstep::readers::testing
