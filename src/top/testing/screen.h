// A screen as text to compare with.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/lines.h"
#include "top/render.h"

namespace lockstep::top::testing {

// Its lines; several empty ones in a row count as one. Fails unless the screen has exactly the wanted size.
inline std::string screen_of(const watch::Snapshot& snapshot, Size size, const ViewState& state = {},
                             const History& history = {}) {
  const std::vector<Line> lines = render({snapshot, history, size}, state);
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(size.rows));
  std::string out = "\n";
  for (const Line& line : lines) {
    const std::string text = line.plain(size.columns);
    EXPECT_LE(report::display_width(text), size.columns) << text;
    if (!text.empty() || !out.ends_with("\n\n")) out += text + "\n";
  }
  return out;
}

}  // namespace lockstep::top::testing
