// The bytes of one input, whatever it is: a file, a pipe, standard input, compressed or not.
//
// Small files are copied, so that a job that rewrites its dump meanwhile cannot hurt; large ones are mapped,
// so that memory does not grow with them. gzip and zstd are known by content; of a log that comes so or
// through a pipe and is long, only what the verdict needs is kept.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lines.h"
#include "readers/bytes.h"

namespace lockstep::readers {

struct Input {
  Bytes bytes;
  std::string limit;  // why there are no bytes, or fewer than there should be; empty when all are here
  bool is_as_stored = false;  // a file's own bytes, which could be mapped as well
  // Where the bytes are not all that came: the numbers that their lines had, and whether even lines that
  // somebody may ask for were too many to keep.
  std::optional<base::LineMarks> lines = std::nullopt;
  bool lost_lines = false;
};

// Lines that must be kept of a log too long to keep all of it, in ascending order; of a kind that repeats
// very often some are enough. From any thread.
struct TellingLine {
  unsigned kind = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};
using TellingLines = std::function<std::vector<TellingLine>(std::string_view text)>;

struct StreamOptions {
  TellingLines telling_lines;  // none: all of it is kept
  std::size_t longest_whole = std::size_t{64} << 20;
};

// "-" is standard input.
Input open_input(const std::filesystem::path& path, const StreamOptions& options = {});

// A file's own bytes mapped, whatever its size: for those that are kept while others are read.
Input map_input(const std::filesystem::path& path);

}  // namespace lockstep::readers
