#include "report/code_points.h"

#include <algorithm>
#include <cstdint>

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

}  // namespace lockstep::report
