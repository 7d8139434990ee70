#include "top/pages/strip.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace lockstep::top {
namespace {

struct Cell {
  char mark;
  Ink ink;
};

Cell cell_of(Standing standing) {
  switch (standing) {
    case Standing::kGuilty:
      return {'!', Ink::kAlarm};
    case Standing::kDead:
      return {'X', Ink::kAlarm};
    case Standing::kStopped:
      return {'T', Ink::kAlarm};
    case Standing::kLate:
      return {'L', Ink::kAlarm};
    case Standing::kStraggler:
      return {'s', Ink::kWarning};
    case Standing::kWaiting:
      return {'w', Ink::kWarning};
    case Standing::kRunning:
      return {'.', Ink::kGood};
    case Standing::kStarting:
      return {':', Ink::kDim};
    case Standing::kEnded:
      return {'_', Ink::kDim};
  }
  return {'?', Ink::kPlain};
}

}  // namespace

Line strip_line(const watch::Snapshot& snapshot, const std::vector<Standing>& standings, int columns) {
  const std::string first = fmt::format("{} ", snapshot.ranks.front().rank);
  const std::string last = fmt::format(" {}", snapshot.ranks.back().rank);
  const int room = std::max(1, columns - static_cast<int>(first.size() + last.size()));
  const std::size_t ranks_a_cell =
      (standings.size() + static_cast<std::size_t>(room) - 1) / static_cast<std::size_t>(room);
  Line line(first, Ink::kDim);
  std::string run;
  Ink ink = Ink::kPlain;
  for (std::size_t from = 0; from < standings.size(); from += ranks_a_cell) {
    const std::size_t to = std::min(from + ranks_a_cell, standings.size());
    const auto at = [&](std::size_t index) { return standings.begin() + static_cast<std::ptrdiff_t>(index); };
    const Cell cell = cell_of(*std::min_element(at(from), at(to)));
    if (cell.ink != ink && !run.empty()) line.add(std::exchange(run, {}), ink);
    ink = cell.ink;
    run += cell.mark;
  }
  return line.add(run, ink).add(last, Ink::kDim);
}

}  // namespace lockstep::top
