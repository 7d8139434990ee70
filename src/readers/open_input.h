// The bytes of one input, whatever it is: a file, a pipe, standard input, compressed or not.
//
// Small files are copied, so that a job that rewrites its dump meanwhile cannot hurt; large ones are mapped,
// so that memory does not grow with them, and one that is cut meanwhile reads on as zeros. gzip and zstd are
// known by content; of a log that comes so or through a pipe and is long, only what the verdict needs is
// kept, and of what nobody knows the start.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/lines.h"
#include "readers/byte_stream.h"
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
  bool may_be_pipe = true;  // false: somebody else chose the path, and a pipe there may never say anything
};

// "-" is standard input.
Input open_input(const std::filesystem::path& path, const StreamOptions& options = {});

// A file's own bytes mapped, whatever its size: for those that are kept while others are read. A process has
// no more than some ten thousand mappings; then there is a limit and no bytes.
Input map_input(const std::filesystem::path& path);

// A log that comes as a stream and is too long to be kept: its start, its end, and of what lies between the
// lines that somebody may ask for. The result is a text like any other, whose lines have the numbers they had
// in the stream.
class CondensedLog {
 public:
  // `most_bytes`: of what lies between start and end. `telling_lines` must outlive it.
  CondensedLog(const TellingLines& telling_lines, std::size_t most_bytes)
      : telling_lines_(telling_lines), most_bytes_(most_bytes) {}

  // Parts follow each other and begin where lines begin.
  void add_whole(std::string_view part);
  void add_condensed(std::string_view part);

  Input finish();

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::vector<Range> worth_keeping(std::string_view part);
  bool is_worth_keeping(unsigned kind);
  void append(std::string_view bytes);
  void end_line();

  const TellingLines& telling_lines_;
  std::size_t most_bytes_;
  GrowingBuffer bytes_{1};
  base::LineMarks lines_;
  std::uint64_t lines_before_ = 0;  // what follows, in the stream
  std::uint64_t lines_marked_ = 0;
  std::size_t condensed_bytes_ = 0;
  bool lost_lines_ = false;
  std::unordered_map<unsigned, std::size_t> lines_of_kind_;
};

Input read_whole(ByteStream& stream, std::size_t expected_bytes);

// `path` tells by its name what the content may be.
Input read_stream(ByteStream& stream, const std::filesystem::path& path, const StreamOptions& options);

}  // namespace lockstep::readers
