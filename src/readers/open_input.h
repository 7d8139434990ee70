// The bytes of one input, whatever it is: a file, a pipe, standard input, compressed or not.
//
// Small files are copied, so that a job that rewrites its dump meanwhile cannot hurt; large ones are mapped,
// so that memory does not grow with them. gzip and zstd are known by content and decompressed in memory.
#pragma once

#include <filesystem>
#include <string>

#include "readers/bytes.h"

namespace lockstep::readers {

struct Input {
  Bytes bytes;
  std::string limit;  // why there are no bytes, or fewer than there should be; empty when all are here
  bool is_as_stored = false;  // a file's own bytes, which could be mapped as well
};

// "-" is standard input.
Input open_input(const std::filesystem::path& path);

// A file's own bytes mapped, whatever its size: for those that are kept while others are read.
Input map_input(const std::filesystem::path& path);

}  // namespace lockstep::readers
