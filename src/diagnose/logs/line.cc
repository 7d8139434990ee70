#include "diagnose/logs/line.h"

#include <algorithm>
#include <cstring>

namespace lockstep::logs {
namespace {

// Behind the last `c` of the text; 0 where there is none. Many times faster than a look at each character.
std::size_t behind_last(std::string_view text, char c) {
  const void* found = text.empty() ? nullptr : ::memrchr(text.data(), c, text.size());
  return found == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
}

// The length of the terminal code at the start of `text`: "ESC [ ... letter", or the two bytes of another
// one.
std::size_t terminal_code_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return std::min<std::size_t>(2, text.size());
  std::size_t length = 2;
  while (length < text.size() && (text[length] < '@' || text[length] > '~')) ++length;
  return std::min(length + 1, text.size());
}

}  // namespace

LineSpan line_around(std::string_view bytes, std::size_t offset) {
  const std::size_t from = offset - std::min(offset, kLongestLine);
  const std::string_view before = bytes.substr(from, offset - from);
  const std::size_t begin = behind_last(before, '\n');
  const std::size_t to = std::min(bytes.size(), offset + kLongestLine);
  return {from + begin + behind_last(before.substr(begin), '\r'), end_of_line(bytes.substr(0, to), offset)};
}

std::string without_terminal_codes(std::string_view line) {
  std::string clean;
  clean.reserve(line.size());
  while (!line.empty()) {
    const std::size_t code = std::min(line.find('\x1b'), line.size());
    clean += line.substr(0, code);
    line.remove_prefix(code);
    if (!line.empty()) line.remove_prefix(terminal_code_length(line));
  }
  return clean;
}

}  // namespace lockstep::logs
