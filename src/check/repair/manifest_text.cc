#include "check/repair/manifest_text.h"

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

// The indentation of the first line behind this one that has something.
std::size_t indent_below(const std::string& text, const Line& line) {
  for (std::size_t begin = line.end + 1; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = skip_spaces(text, begin, end);
    if (first < end && text[first] != '#') return first - begin;
    begin = end + 1;
  }
  return 0;
}

// Between the braces or brackets that stand behind the key, or on a line of its own below it.
std::optional<std::string> inserted(const std::string& text, std::int64_t number, std::string_view key,
                                    char opening, std::string_view part, std::string_view before_part) {
  const auto line = line_at(text, number);
  const auto value = line ? value_of_key(text, *line, key) : std::nullopt;
  if (!value) return std::nullopt;
  std::string made = text;
  if (*value < line->end && text[*value] == opening) {
    const std::size_t next = skip_spaces(text, *value + 1, line->end);
    const bool is_empty = next < line->end && (text[next] == '}' || text[next] == ']');
    return made.insert(*value + 1, fmt::format("{}{}", part, is_empty ? "" : ", "));
  }
  if (*value < line->end && text[*value] != '#') return std::nullopt;
  return made.insert(line->end,
                     fmt::format("\n{}{}{}", std::string(indent_below(text, *line), ' '), before_part, part));
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
  return inserted(text, line, key, '{', member, "");
}

std::optional<std::string> with_item(const std::string& text, std::int64_t line, std::string_view key,
                                     std::string_view item) {
  return inserted(text, line, key, '[', item, "- ");
}

}  // namespace lockstep::repair
