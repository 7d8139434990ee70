#include "top/terminal/redraw.h"

#include <fmt/format.h>

namespace lockstep::top {

std::string Redraw::update(const std::vector<std::string>& lines) {
  const bool draws_all = !is_known_ || lines.size() != shown_.size();
  std::string out = draws_all ? "\x1b[0m\x1b[2J" : "";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    if (draws_all || lines[row] != shown_[row]) out += fmt::format("\x1b[{};1H{}", row + 1, lines[row]);
  }
  shown_ = lines;
  is_known_ = true;
  return out;
}

}  // namespace lockstep::top
