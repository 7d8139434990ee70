#include "base/json.h"

#include <algorithm>
#include <optional>
#include <random>
#include <xxhash.h>

#include <fmt/format.h>

namespace lockstep::base {
namespace {

constexpr const char* kHint = "put it right there, or give another file";

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0: the first line
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

std::size_t closing_quote(std::string_view text, std::size_t opening_quote) {
  std::size_t i = opening_quote + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i;
}

// Agrees with the parser on every text up to that text's first fault, which is as far as the parser goes.
std::optional<std::size_t> first_bracket_deeper_than(int deepest, std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') i = closing_quote(text, i);
    if (c == ']' || c == '}') --depth;
    if ((c == '[' || c == '{') && ++depth > deepest) return i;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t hash_of_name(std::string_view name) {
  static const std::uint64_t seed = std::random_device()() | std::uint64_t{std::random_device()()} << 32U;
  return XXH3_64bits_withSeed(name.data(), name.size(), seed);
}

Result<Json> parse_json(std::string_view text, std::string_view where) {
  if (const auto offset = first_bracket_deeper_than(kDeepestJson, text)) {
    return Error{"JSON nested too deeply", std::string(where),
                 fmt::format("more than {} levels at {}", kDeepestJson, line_and_column(text, *offset)),
                 kHint};
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const std::size_t offset = e.byte == 0 ? 0 : e.byte - 1;
    return Error{"not valid JSON", std::string(where), line_and_column(text, offset), kHint};
  } catch (const Json::out_of_range&) {
    return Error{"not valid JSON", std::string(where), "a number is too large", kHint};
  }
}

std::string to_text(const Json& json, JsonLayout layout) {
  const int indent = layout == JsonLayout::kIndented ? 2 : -1;
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep::base
