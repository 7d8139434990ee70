#include "report/lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "report/code_points.h"

namespace lockstep::report {
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
