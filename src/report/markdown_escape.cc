#include "report/markdown_escape.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kShortestFence = 3;

std::size_t longest_backtick_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t current = 0;
  for (const char c : text) {
    current = c == '`' ? current + 1 : 0;
    longest = std::max(longest, current);
  }
  return longest;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_prose_character(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool is_beyond_ascii = static_cast<unsigned char>(c) >= 0x80;
  return is_letter || is_digit(c) || is_beyond_ascii ||
         std::string_view(".,;'\"()-/").find(c) != std::string_view::npos;
}

// Punctuation that means nothing at the end of a word but something inside: :emoji:, !merge_request,
// %milestone.
std::string_view without_end_punctuation(std::string_view word) {
  while (!word.empty() && std::string_view(".,;:!?%").find(word.back()) != std::string_view::npos) {
    word.remove_suffix(1);
  }
  return word;
}

bool starts_an_autolink(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return lower.find("www.") != std::string::npos;
}

bool is_prose(std::string_view word) {
  return !word.starts_with('/') && std::ranges::all_of(word, is_prose_character) && !starts_an_autolink(word);
}

// "- x" and "1. x" begin a list, "---" draws a line: only as the first word of a paragraph.
std::string without_list_mark(std::string_view word) {
  if (word.starts_with('-')) return fmt::format("\\{}", word);
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const bool is_number_mark =
      digits > 0 && digits + 1 == word.size() && (word.back() == '.' || word.back() == ')');
  if (is_number_mark) return fmt::format("{}\\{}", word.substr(0, digits), word.back());
  return std::string(word);
}

std::string write_word(std::string_view word, bool is_first) {
  const std::string_view core = without_end_punctuation(word);
  if (core.empty()) return is_prose(word) ? std::string(word) : markdown_code(word);
  if (is_prose(core)) return is_first ? without_list_mark(word) : std::string(word);
  return markdown_code(core) + std::string(word.substr(core.size()));
}

}  // namespace

std::string markdown_prose(std::string_view text) {
  const std::string escaped = base::escape_for_terminal(text);
  std::string out;
  std::string_view rest = escaped;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) return out;
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (!out.empty()) out += ' ';
    out += write_word(word, out.empty());
    rest.remove_prefix(word.size());
  }
}

std::string markdown_code(std::string_view text) {
  const std::string ticks(longest_backtick_run(text) + 1, '`');
  // A space on each side is taken away again by the reader of Markdown.
  const bool needs_spaces = text.empty() || text.front() == '`' || text.back() == '`' || text.front() == ' ';
  return needs_spaces ? fmt::format("{0} {1} {0}", ticks, text) : fmt::format("{0}{1}{0}", ticks, text);
}

std::string markdown_fence(const std::vector<std::string>& lines, std::string_view language,
                           std::size_t columns) {
  std::size_t length = kShortestFence;
  for (const std::string& line : lines) length = std::max(length, longest_backtick_run(line) + 1);
  const std::string indent(columns, ' ');
  const std::string fence(length, '`');
  std::string out = fmt::format("{}{}{}\n", indent, fence, language);
  for (const std::string& line : lines) out += fmt::format("{}{}\n", indent, line);
  return out + fmt::format("{}{}\n", indent, fence);
}

}  // namespace lockstep::report
