#include "base/json.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::base {
namespace {

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0: the first line
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view where) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const std::size_t offset = e.byte == 0 ? 0 : e.byte - 1;
    return Error{"not valid JSON", std::string(where), line_and_column(text, offset), ""};
  }
}

std::string to_text(const Json& json, JsonLayout layout) {
  const int indent = layout == JsonLayout::kIndented ? 2 : -1;
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep::base
