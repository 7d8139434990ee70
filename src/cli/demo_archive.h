// The recordings that the program carries to show itself: real jobs that failed, packed by lab/demo/record.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.h"

namespace lockstep::cli {

struct Demo {
  std::string_view name;     // "desync"
  std::string_view what;     // one line, without a full stop
  std::string_view archive;  // a tar file, compressed
};

std::span<const Demo> all_demos();

// Writes the files of `archive` into `folder`, which is made, with the times they had.
Result<void> unpack(std::string_view archive, const std::filesystem::path& folder);

}  // namespace lockstep::cli
