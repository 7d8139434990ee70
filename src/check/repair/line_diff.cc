#include "check/repair/line_diff.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace lockstep::repair {
namespace {

constexpr std::size_t kContext = 3;  // lines around a change, as diff -u has them; held by LineDiff.IsAPatch
// Cells of the table of pairs of lines, about 2,000 lines of each text: beyond, all that lies between the
// first and the last change is replaced.
constexpr std::size_t kMaxCells = std::size_t{4} << 20;

using Lines = std::vector<std::string_view>;

struct Line {
  char mark;  // ' ', '-', '+'
  std::string_view text;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// By the longest common subsequence.
std::vector<Line> compared(const Lines& before, const Lines& after) {
  std::vector<Line> result;
  if ((before.size() + 1) * (after.size() + 1) > kMaxCells) {
    for (const std::string_view line : before) result.push_back({'-', line});
    for (const std::string_view line : after) result.push_back({'+', line});
    return result;
  }
  const std::size_t columns = after.size() + 1;
  std::vector<std::size_t> longest((before.size() + 1) * columns, 0);
  for (std::size_t i = before.size(); i-- > 0;)
    for (std::size_t j = after.size(); j-- > 0;)
      longest[i * columns + j] = before[i] == after[j]
                                     ? longest[(i + 1) * columns + j + 1] + 1
                                     : std::max(longest[(i + 1) * columns + j], longest[i * columns + j + 1]);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      result.push_back({' ', before[i++]});
      ++j;
    } else if (i < before.size() &&
               (j == after.size() || longest[(i + 1) * columns + j] >= longest[i * columns + j + 1])) {
      result.push_back({'-', before[i++]});
    } else {
      result.push_back({'+', after[j++]});
    }
  }
  return result;
}

std::string text_of(const Line& line) {
  std::string text = fmt::format("{}{}", line.mark, line.text);
  if (!text.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  return text;
}

}  // namespace

std::string line_diff(const std::string& file, std::string_view before, std::string_view after) {
  if (before == after) return "";
  const std::vector<Line> lines = compared(lines_of(before), lines_of(after));
  std::string text = fmt::format("--- {}\n+++ {}\n", file, file);
  const auto is_change = [&](std::size_t at) { return lines[at].mark != ' '; };
  std::size_t at = 0;
  std::size_t old_line = 1;
  std::size_t new_line = 1;
  const auto pass = [&](std::size_t until) {
    for (; at < until; ++at) {
      if (lines[at].mark != '+') ++old_line;
      if (lines[at].mark != '-') ++new_line;
    }
  };
  for (std::size_t next = 0; next < lines.size(); ++next) {
    if (!is_change(next)) continue;
    std::size_t end = next;  // behind the last change that is near the one before it
    for (std::size_t i = next; i < lines.size() && i <= end + 2 * kContext; ++i)
      if (is_change(i)) end = i + 1;
    pass(std::max(at, next < kContext ? 0 : next - kContext));
    const std::size_t stop = std::min(lines.size(), end + kContext);
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (std::size_t i = at; i < stop; ++i) {
      old_count += lines[i].mark != '+' ? 1 : 0;
      new_count += lines[i].mark != '-' ? 1 : 0;
      body += text_of(lines[i]);
    }
    text += fmt::format("@@ -{},{} +{},{} @@\n{}", old_count == 0 ? old_line - 1 : old_line, old_count,
                        new_count == 0 ? new_line - 1 : new_line, new_count, body);
    pass(stop);
    next = stop - 1;
  }
  return text;
}

}  // namespace lockstep::repair
