#include "repair/manifest_text.h"

#include <fmt/format.h>

namespace lockstep::repair {
namespace {

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;  // before the line's end
};

std::optional<Line> line_at(const std::string& text, std::int64_t number) {
  std::size_t begin = 0;
  for (std::int64_t i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return std::nullopt;
    begin = end + 1;
  }
  if (begin >= text.size()) return std::nullopt;
  return Line{begin, std::min(text.find('\n', begin), text.size())};
}

std::size_t skip_spaces(const std::string& text, std::size_t at, std::size_t end) {
  while (at < end && text[at] == ' ') ++at;
  return at;
}

// Behind the colon of the key, blanks skipped; nothing where the line has no such key.
std::optional<std::size_t> value_of_key(const std::string& text, const Line& line, std::string_view key) {
  const std::string wanted = fmt::format("{}:", key);
  for (std::size_t at = text.find(wanted, line.begin); at < line.end; at = text.find(wanted, at + 1)) {
    const char before = at == line.begin ? ' ' : text[at - 1];
    if (before == ' ' || before == '{' || before == ',' || before == '"' || before == '\'')
      return skip_spaces(text, at + wanted.size(), line.end);
  }
  return std::nullopt;
}

std::optional<std::string> inserted(const std::string& text, const Line& line, std::string_view key,
                                    char opening, std::string_view part, std::string_view before_part) {
  std::string made = text;
  const auto value = value_of_key(text, line, key);
  if (value && *value < line.end && text[*value] == opening) {
    const std::size_t next = skip_spaces(text, *value + 1, line.end);
    const bool is_empty = next < line.end && (text[next] == '}' || text[next] == ']');
    return made.insert(*value + 1, fmt::format("{}{}", part, is_empty ? "" : ", "));
  }
  const std::size_t indent = skip_spaces(text, line.begin, line.end) - line.begin;
  return made.insert(line.begin, fmt::format("{}{}{}\n", std::string(indent, ' '), before_part, part));
}

}  // namespace

std::optional<std::string> with_scalar(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view value) {
  const auto place = line_at(text, line);
  if (!place) return std::nullopt;
  const auto begin = value_of_key(text, *place, key);
  if (!begin) return std::nullopt;
  std::size_t end = *begin;
  while (end < place->end && std::string_view(",}# ").find(text[end]) == std::string_view::npos) ++end;
  std::string made = text;
  return made.replace(*begin, end - *begin, value);
}

std::optional<std::string> with_member(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view member) {
  const auto place = line_at(text, line);
  if (!place || text[skip_spaces(text, place->begin, place->end)] == '-') return std::nullopt;
  return inserted(text, *place, key, '{', member, "");
}

std::optional<std::string> with_item(const std::string& text, std::int64_t line, std::string_view key,
                                     std::string_view item) {
  const auto place = line_at(text, line);
  if (!place) return std::nullopt;
  return inserted(text, *place, key, '[', item, "- ");
}

}  // namespace lockstep::repair
