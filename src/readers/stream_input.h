// What comes as a stream, read to its end: all of it, or what is worth keeping of a long log.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/lines.h"
#include "readers/byte_stream.h"
#include "readers/bytes.h"
#include "readers/open_input.h"

namespace lockstep::readers {

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
