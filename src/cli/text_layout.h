// Paragraphs and two-column lists that fit a terminal of 80 columns.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/lines.h"

namespace lockstep::cli {

using report::paragraph;

struct Row {
  std::string label;
  std::string text;
};

// Labels on the left, texts aligned on the right and wrapped there.
std::string two_columns(std::span<const Row> rows);

}  // namespace lockstep::cli
