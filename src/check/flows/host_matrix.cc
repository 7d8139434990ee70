#include "check/flows/host_matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "network/pairs.h"

namespace lockstep::flows {
namespace {

using network::BitMatrix;

enum class Cell : std::uint8_t { kReached, kRefused, kDoubtful };

constexpr std::array kCells = {Cell::kReached, Cell::kRefused, Cell::kDoubtful};

Cell cell_at(const BitMatrix& blocked, const BitMatrix& unknown, std::size_t source,
             std::size_t destination) {
  if (blocked.has(source, destination)) return Cell::kRefused;
  return unknown.has(source, destination) ? Cell::kDoubtful : Cell::kReached;
}

// Spreads small numbers over 64 bits (splitmix64).
std::uint64_t spread(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31);
}

// Of the places of the set bits but `own`.
std::uint64_t hash_of(std::span<const std::uint64_t> row, std::size_t own, std::uint64_t salt) {
  std::uint64_t hash = 0;
  for (std::size_t word = 0; word < row.size(); ++word) {
    for (std::uint64_t left = row[word]; left != 0; left &= left - 1) {
      const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (at != own) hash ^= spread(at * 4 + salt);
    }
  }
  return hash;
}

class Grouping {
 public:
  Grouping(const BitMatrix& blocked, const BitMatrix& unknown)
      : blocked_(blocked),
        unknown_(unknown),
        blocked_columns_(blocked.transposed()),
        unknown_columns_(unknown.transposed()) {}

  std::vector<std::vector<std::size_t>> run() {
    for (std::size_t host = 0; host < blocked_.size(); ++host) place(host);
    return std::move(groups_);
  }

 private:
  void place(std::size_t host) {
    const std::array<std::uint64_t, 4> hashes = {
        hash_of(blocked_.row(host), host, 0), hash_of(unknown_.row(host), host, 1),
        hash_of(blocked_columns_.row(host), host, 2), hash_of(unknown_columns_.row(host), host, 3)};
    std::array<std::uint64_t, kCells.size()> keys{};
    for (std::size_t at = 0; at < kCells.size(); ++at) {
      std::array<std::uint64_t, 4> whole = hashes;
      const std::size_t set = kCells[at] == Cell::kRefused ? 0 : 1;
      if (kCells[at] != Cell::kReached) {
        whole[set] ^= spread(host * 4 + set);
        whole[set + 2] ^= spread(host * 4 + set + 2);
      }
      keys[at] = spread(whole[0] ^ spread(whole[1] ^ spread(whole[2] ^ spread(whole[3] ^ at))));
      const auto [begin, end] = groups_by_key_.equal_range(keys[at]);
      for (auto found = begin; found != end; ++found) {
        const std::size_t first = groups_[found->second].front();
        if (cell_at(blocked_, unknown_, first, host) != kCells[at] ||
            cell_at(blocked_, unknown_, host, first) != kCells[at])
          continue;
        groups_[found->second].push_back(host);
        return;
      }
    }
    for (const std::uint64_t key : keys) groups_by_key_.emplace(key, groups_.size());
    groups_.push_back({host});
  }

  const BitMatrix& blocked_;
  const BitMatrix& unknown_;
  BitMatrix blocked_columns_;
  BitMatrix unknown_columns_;
  std::vector<std::vector<std::size_t>> groups_;
  std::unordered_multimap<std::uint64_t, std::size_t> groups_by_key_;
};

// Hosts that can be exchanged without changing who reaches whom. Groups in the order of their first hosts;
// every host is in one. Time grows with the number of pairs, also where all groups differ.
std::vector<std::vector<std::size_t>> groups_of_hosts(const BitMatrix& blocked, const BitMatrix& unknown) {
  return Grouping(blocked, unknown).run();
}

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
