#include "symptoms/line.h"

#include <algorithm>

namespace lockstep::symptoms {
namespace {

bool ends_line(char c) {
  return c == '\n' || c == '\r';
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
  LineSpan span{offset, offset};
  while (span.begin > 0 && offset - span.begin < kLongestLine && !ends_line(bytes[span.begin - 1]))
    --span.begin;
  while (span.end < bytes.size() && span.end - offset < kLongestLine && !ends_line(bytes[span.end]))
    ++span.end;
  return span;
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

std::int64_t line_number(std::string_view bytes, std::size_t offset) {
  return 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

}  // namespace lockstep::symptoms
