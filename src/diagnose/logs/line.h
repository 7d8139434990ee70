// Lines of untrusted bytes: where one begins and ends, what it says without terminal codes, which number it
// has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/lines.h"

namespace lockstep::logs {

// One log as its caller holds it, usually mapped memory.
struct LogText {
  std::string name;
  std::string_view bytes;
  std::optional<int> rank;      // where the whole file is one rank's
  bool is_mapped_file = false;  // its pages need not stay in memory
  base::LineMarks line_marks = {};
};

// After a look at it: of ten thousand logs only the one that is looked at stays in memory.
inline void let_go(const LogText& log) {
  if (log.is_mapped_file) base::forget_pages(log.bytes);
}

// Half-open. A carriage return ends a line as a newline does: a progress bar is many lines, the last one
// seen.
struct LineSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const LineSpan&) const = default;
};

// What is looked at of one line. A longer one is cut to this much before and after the place of interest.
inline constexpr std::size_t kLongestLine = 8192;

// Where the line that stands at `from` ends; the end of the bytes where nothing ends it. Two searches for one
// character each are many times faster than one for either; in parts, as the next newline may be a gigabyte
// behind the next carriage return.
inline std::size_t end_of_line(std::string_view bytes, std::size_t from) {
  for (std::size_t at = std::min(from, bytes.size());; at += kLongestLine) {
    const std::string_view part = bytes.substr(at, kLongestLine);
    const std::size_t newline = std::min(part.find('\n'), part.size());
    const std::size_t end = std::min(part.substr(0, newline).find('\r'), newline);
    if (end < part.size() || at + part.size() == bytes.size()) return at + end;
  }
}

// Calls `use(line, span)` for the lines of [begin, end) that are not empty; a longer one in pieces.
template <typename Use>
void for_each_line(std::string_view bytes, std::size_t begin, std::size_t end, const Use& use) {
  while (begin < end) {
    const std::size_t most = std::min(end, begin + kLongestLine);
    const std::size_t stop = end_of_line(bytes.substr(0, most), begin);
    if (stop > begin) use(bytes.substr(begin, stop - begin), LineSpan{begin, stop});
    begin = stop + 1;
  }
}

inline std::string_view tail_of(std::string_view bytes, std::size_t window) {
  return bytes.substr(bytes.size() - std::min(bytes.size(), window));
}

// The same for the last `window` bytes.
template <typename Use>
void for_each_tail_line(std::string_view bytes, std::size_t window, const Use& use) {
  for_each_line(bytes, bytes.size() - tail_of(bytes, window).size(), bytes.size(), use);
}

LineSpan line_around(std::string_view bytes, std::size_t offset);

// Without terminal colour and cursor codes.
std::string without_terminal_codes(std::string_view line);

}  // namespace lockstep::logs
