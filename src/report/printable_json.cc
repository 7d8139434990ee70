#include "report/printable_json.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/escape.h"
#include "report/code_points.h"

namespace lockstep::report {
namespace {

bool is_safe_to_show(std::string_view code_point) {
  return base::escape_for_terminal(code_point) == code_point;
}

std::string json_escape(char32_t c) {
  const auto value = static_cast<std::uint32_t>(c);
  if (value < 0x10000) return fmt::format("\\u{:04x}", value);
  const std::uint32_t offset = value - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

}  // namespace

std::string to_printable_text(const base::Json& json) {
  const std::string plain = base::to_text(json, base::JsonLayout::kIndented);
  std::string out;
  out.reserve(plain.size() + 1);
  for (std::string_view rest = plain; !rest.empty();) {
    const std::string_view code_point = first_code_point(rest);
    const bool is_plain_ascii = code_point.size() == 1 && code_point.front() != '\x7F';
    if (is_plain_ascii || is_safe_to_show(code_point)) {
      out += code_point;
    } else {
      out += json_escape(code_point_value(code_point));
    }
    rest.remove_prefix(code_point.size());
  }
  return out + '\n';
}

}  // namespace lockstep::report
