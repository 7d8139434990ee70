#include "check/flows/host_matrix.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "check/flows/host_groups.h"

namespace lockstep::flows {
namespace {

// Lines of the table: a screen. Held by HostMatrix.TheTextIsBounded.
constexpr std::size_t kMaxLines = 40;

char letter_of(Cell cell) {
  return cell == Cell::kRefused ? kBlocked : cell == Cell::kDoubtful ? kNotKnown : kOpen;
}

bool has_a_mark(const network::BitMatrix& blocked, const network::BitMatrix& unknown, std::size_t host) {
  for (std::size_t other = 0; other < blocked.size(); ++other)
    if (other != host && (cell_at(blocked, unknown, host, other) != Cell::kReached ||
                          cell_at(blocked, unknown, other, host) != Cell::kReached))
      return true;
  return false;
}

}  // namespace

HostMatrix fold(const network::BitMatrix& blocked, const network::BitMatrix& unknown,
                std::span<const hostinfo::HostFacts> hosts) {
  auto groups = groups_of_hosts(blocked, unknown);
  HostMatrix matrix;
  if (groups.size() > kMaxLines) {
    std::stable_partition(groups.begin(), groups.end(),
                          [&](const auto& group) { return has_a_mark(blocked, unknown, group.front()); });
    matrix.left_out = groups.size() - kMaxLines;
    groups.resize(kMaxLines);
  }
  for (const auto& group : groups) {
    HostMatrix::Line line;
    line.count = group.size();
    line.members = group;
    line.hosts = hosts[group.front()].name;
    if (group.size() > 1) line.hosts += fmt::format(" and {} like it", group.size() - 1);
    for (const auto& other : groups) {
      const bool is_own = &group == &other;
      line.cells +=
          is_own && group.size() == 1
              ? ' '
              : letter_of(cell_at(blocked, unknown, group.front(), is_own ? group[1] : other.front()));
    }
    matrix.lines.push_back(std::move(line));
  }
  return matrix;
}

void give_reasons(HostMatrix& matrix, const Reason& reason) {
  for (std::size_t from = 0; from < matrix.lines.size(); ++from) {
    HostMatrix::Line& line = matrix.lines[from];
    for (std::size_t to = 0; to < line.cells.size(); ++to) {
      if (line.cells[to] != kBlocked) continue;
      std::string why = reason(line.members.front(), matrix.lines[to].members[from == to ? 1 : 0]);
      if (!why.empty()) line.why[to] = std::move(why);
    }
  }
}

std::string to_text(const HostMatrix& matrix) {
  const std::size_t shown = matrix.lines.size();
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
  if (matrix.left_out > 0) text += fmt::format("  and {} more that differ\n", matrix.left_out);
  return text;
}

}  // namespace lockstep::flows
