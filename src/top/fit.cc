#include "top/fit.h"

#include <algorithm>

#include "base/escape.h"
#include "report/code_points.h"

namespace lockstep::top {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kMostBytes = 4096;  // wider than any terminal

std::string blanks(int count) {
  std::string text(static_cast<std::size_t>(std::max(count, 0)), ' ');
  return text;
}

// The longest beginning of `text` that is at most `columns` wide, with the marks that combine with its end.
std::string_view beginning_of(std::string_view text, int columns) {
  std::size_t bytes = 0;
  int width = 0;
  while (bytes < text.size()) {
    const std::string_view next = report::first_code_point(text.substr(bytes));
    width += report::display_width(next);
    if (width > columns) break;
    bytes += next.size();
  }
  return text.substr(0, bytes);
}

}  // namespace

std::string cut(std::string_view text, int columns) {
  if (columns <= 0) return {};
  if (report::display_width(text) <= columns) return std::string(text);
  return std::string(beginning_of(text, columns - 1)).append(kEllipsis);
}

std::string left_aligned(std::string_view text, int columns) {
  std::string fitted = cut(text, columns);
  return fitted + blanks(columns - report::display_width(fitted));
}

std::string right_aligned(std::string_view text, int columns) {
  const std::string fitted = cut(text, columns);
  return blanks(columns - report::display_width(fitted)) + fitted;
}

std::string safe(std::string_view from_a_file) {
  return base::escape_for_terminal(from_a_file.substr(0, kMostBytes));
}

}  // namespace lockstep::top
