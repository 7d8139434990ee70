// The report for people at a terminal. Nothing that came from a file can act on the terminal: it is escaped
// first. Lines fit the width, except commands, which stay whole so that they can be copied.
#pragma once

#include <string>

#include "model/finding.h"

namespace lockstep::report {

struct TextStyle {
  bool colour = false;
  int width = 80;  // columns; fewer than 40 are treated as 40
};

std::string render_text(const model::Verdict& verdict, const TextStyle& style);

}  // namespace lockstep::report
