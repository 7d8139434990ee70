#include "cli/text_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr std::size_t kRowIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kWidestAlignedLabel = 26;  // a wider one stands on a line of its own

}  // namespace

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
