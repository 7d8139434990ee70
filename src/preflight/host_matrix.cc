#include "preflight/host_matrix.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"

namespace lockstep::preflight {
namespace {

constexpr std::size_t kMostLines = 40;

// Exchanging the two changes nothing.
bool are_alike(const std::vector<std::string>& cells, std::size_t one, std::size_t other) {
  if (cells[one][other] != cells[other][one]) return false;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    if (at == one || at == other) continue;
    if (cells[one][at] != cells[other][at] || cells[at][one] != cells[at][other]) return false;
  }
  return true;
}

std::vector<std::vector<std::size_t>> groups_in(const std::vector<std::string>& cells) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const auto like =
        std::ranges::find_if(groups, [&](const auto& group) { return are_alike(cells, group.front(), at); });
    if (like == groups.end()) {
      groups.push_back({at});
    } else {
      like->push_back(at);
    }
  }
  return groups;
}

}  // namespace

HostMatrix fold(const std::vector<std::string>& cells, std::span<const network::HostFacts> hosts) {
  HostMatrix matrix;
  const auto groups = groups_in(cells);
  for (const auto& group : groups) {
    HostMatrix::Line line;
    line.count = group.size();
    line.hosts = hosts[group.front()].name;
    if (group.size() > 1) line.hosts += fmt::format(" and {} like it", group.size() - 1);
    for (const auto& other : groups) {
      const bool is_own = &group == &other;
      if (is_own && group.size() == 1) {
        line.cells += ' ';
      } else {
        line.cells += cells[group.front()][is_own ? group[1] : other.front()];
      }
    }
    matrix.lines.push_back(std::move(line));
  }
  return matrix;
}

std::string to_text(const HostMatrix& matrix) {
  const std::size_t shown = std::min(matrix.lines.size(), kMostLines);
  std::vector<std::string> names;
  std::size_t width = 0;
  for (std::size_t at = 0; at < shown; ++at) {
    names.push_back(base::escape_for_terminal(matrix.lines[at].hosts));
    width = std::max(width, names.back().size());
  }
  std::string text = "Between the hosts (a line connects to the columns; x is blocked, ? not known):\n\n";
  text += fmt::format("  {:{}}    ", "", width);
  for (std::size_t at = 0; at < shown; ++at) text += fmt::format(" {:>2}", at);
  for (std::size_t at = 0; at < shown; ++at) {
    text += fmt::format("\n  {:>{}}  {:>2}", names[at], width, at);
    for (std::size_t to = 0; to < shown; ++to) text += fmt::format("  {}", matrix.lines[at].cells[to]);
  }
  text += "\n";
  if (shown < matrix.lines.size())
    text += fmt::format("  and {} more that differ\n", matrix.lines.size() - shown);
  return text;
}

}  // namespace lockstep::preflight
