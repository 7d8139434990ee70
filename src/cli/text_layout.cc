#include "cli/text_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr std::size_t kRowIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kWidestAlignedLabel = 26;  // a wider one stands on a line of its own

}  // namespace

std::string paragraph(std::string_view text, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() > kHelpWidth) {
      lines += '\n';
      column = 0;
    }
    lines += column == 0 ? std::string(indent, ' ') : " ";
    lines += word;
    column += (column == 0 ? indent : 1) + word.size();
  }
  return lines + '\n';
}

std::string two_columns(std::span<const Row> rows) {
  std::size_t widest = 0;
  for (const Row& row : rows) {
    if (row.label.size() <= kWidestAlignedLabel) widest = std::max(widest, row.label.size());
  }
  const std::size_t text_column = kRowIndent + widest + kGap;

  std::string lines;
  for (const Row& row : rows) {
    const std::string text = paragraph(row.text, text_column);
    const std::string label = fmt::format("{:{}}{}", "", kRowIndent, row.label);
    if (row.label.size() > kWidestAlignedLabel) {
      lines += fmt::format("{}\n{}", label, text);
    } else {
      lines += fmt::format("{:{}}{}", label, text_column, std::string_view(text).substr(text_column));
    }
  }
  return lines;
}

}  // namespace lockstep::cli
