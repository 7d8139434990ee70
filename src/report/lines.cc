#include "report/lines.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/escape.h"

namespace lockstep::report {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The blocks of Unicode's East Asian Width that matter in logs; rare single characters are left at 1.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE4F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};
constexpr Range kCombining[] = {{0x0300, 0x036F}, {0x200C, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

template <std::size_t count>
bool is_in(const Range (&ranges)[count], char32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

bool is_continuation(char byte) {
  return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80;
}

}  // namespace

std::string_view first_code_point(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && is_continuation(text[length])) ++length;
  return text.substr(0, length);
}

char32_t code_point_value(std::string_view code_point) {
  const auto lead = static_cast<std::uint8_t>(code_point.front());
  if (code_point.size() == 1) return lead;
  char32_t value = lead & (0xFFU >> (code_point.size() + 1));
  for (const char byte : code_point.substr(1)) {
    value = (value << 6) | (static_cast<std::uint8_t>(byte) & 0x3FU);
  }
  return value;
}

std::size_t count_code_points(std::string_view text) {
  const auto continuations = std::ranges::count_if(text, is_continuation);
  return text.size() - static_cast<std::size_t>(continuations);
}

std::size_t bytes_of_first(std::size_t count, std::string_view text) {
  std::size_t bytes = 0;
  for (; count > 0 && bytes < text.size(); --count) bytes += first_code_point(text.substr(bytes)).size();
  return bytes;
}

std::size_t bytes_of_last(std::size_t count, std::string_view text) {
  std::size_t start = text.size();
  for (; count > 0 && start > 0; --count) {
    do --start;
    while (start > 0 && is_continuation(text[start]));
  }
  return text.size() - start;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const std::string_view code_point = first_code_point(text);
    const char32_t c = code_point_value(code_point);
    width += is_in(kCombining, c) ? 0 : is_in(kWide, c) ? 2 : 1;
    text.remove_prefix(code_point.size());
  }
  return width;
}

namespace {

constexpr std::size_t kParagraphWidth = 80;  // columns of a terminal that nobody made wider

// Characters and lines of evidence that are kept at the beginning and at the end of a long one.
constexpr std::size_t kHeadCharacters = 400;
constexpr std::size_t kTailCharacters = 200;
constexpr std::size_t kHeadLines = 8;
constexpr std::size_t kTailLines = 4;

std::vector<std::string_view> split_lines(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  text.pop_back();
  return text;
}

// The place after which the first `count` lines end, or the end of the text.
std::size_t end_of_line(std::size_t count, std::string_view text) {
  std::size_t end = text.find('\n');
  while (--count > 0 && end != std::string_view::npos) end = text.find('\n', end + 1);
  return std::min(end, text.size());
}

std::size_t start_of_last_lines(std::size_t count, std::string_view text) {
  std::size_t newline = text.rfind('\n');
  while (--count > 0 && newline != std::string_view::npos && newline > 0) {
    newline = text.rfind('\n', newline - 1);
  }
  return newline == std::string_view::npos ? 0 : newline + 1;
}

void append_lines(std::vector<std::string>& lines, std::string_view text) {
  for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
}

// How many bytes of `line` go on one row: up to the last space that lets the row fit, or as many as fit.
std::size_t bytes_of_row(std::string_view line, int width) {
  std::size_t fits = 0;
  std::size_t last_space = 0;
  bool is_indent = true;
  for (int used = 0; fits < line.size();) {
    const std::string_view code_point = first_code_point(line.substr(fits));
    const bool is_space = code_point == " ";
    if (is_space && !is_indent) last_space = fits;
    used += display_width(code_point);
    if (used > width && last_space > 0) return last_space;
    if (used > width) return fits > 0 ? fits : code_point.size();
    is_indent = is_indent && is_space;
    fits += code_point.size();
  }
  return fits;
}

}  // namespace

std::vector<std::string> escaped_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : split_lines(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(base::escape_for_terminal(line));
  }
  return lines;
}

std::vector<std::string> wrap(std::string_view line, int width) {
  std::vector<std::string> rows;
  do {
    const std::size_t row = bytes_of_row(line, std::max(width, 1));
    rows.emplace_back(line.substr(0, row));
    line.remove_prefix(row);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  } while (!line.empty());
  return rows;
}

std::string paragraph(std::string_view text, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() > kParagraphWidth) {
      lines += '\n';
      column = 0;
    }
    lines += column == 0 ? std::string(indent, ' ') : " ";
    lines += word;
    column += (column == 0 ? indent : 1) + word.size();
  }
  return lines + '\n';
}

std::vector<std::string> excerpt(std::string_view text) {
  if (text.empty()) return {};
  std::vector<std::string> lines = escaped_lines(text);
  const std::string whole = join(lines);
  const bool is_short = lines.size() <= kHeadLines + kTailLines &&
                        count_code_points(whole) <= kHeadCharacters + kTailCharacters;
  if (is_short) return lines;

  const std::string_view view = whole;
  const std::size_t head = std::min(bytes_of_first(kHeadCharacters, view), end_of_line(kHeadLines, view));
  const std::size_t tail =
      std::max(view.size() - bytes_of_last(kTailCharacters, view), start_of_last_lines(kTailLines, view));
  lines.clear();
  append_lines(lines, view.substr(0, head));
  lines.push_back(
      fmt::format("… {} characters left out …", count_code_points(view.substr(head, tail - head))));
  append_lines(lines, view.substr(tail));
  return lines;
}

}  // namespace lockstep::report
