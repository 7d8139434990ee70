// Paragraphs and two-column lists that fit a terminal of 80 columns.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockstep::cli {

inline constexpr std::size_t kHelpWidth = 80;

// The words of `text`, in lines of at most kHelpWidth columns that begin with `indent` spaces.
std::string paragraph(std::string_view text, std::size_t indent);

struct Row {
  std::string label;
  std::string text;
};

// Labels on the left, texts aligned on the right and wrapped there.
std::string two_columns(std::span<const Row> rows);

}  // namespace lockstep::cli
