// Two hosts are alike when their rows and columns are equal but for the places where they meet themselves and
// each other. With the cell between members of a group put into the diagonal, alike hosts have equal rows and
// columns: a hash of them, for each of the three cells that may stand there, finds the group.
#include "check/flows/host_groups.h"

#include <array>
#include <bit>
#include <span>
#include <unordered_map>

namespace lockstep::flows {
namespace {

using network::BitMatrix;

constexpr std::array kCells = {Cell::kReached, Cell::kRefused, Cell::kDoubtful};

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

}  // namespace

Cell cell_at(const BitMatrix& blocked, const BitMatrix& unknown, std::size_t source,
             std::size_t destination) {
  if (blocked.has(source, destination)) return Cell::kRefused;
  return unknown.has(source, destination) ? Cell::kDoubtful : Cell::kReached;
}

std::vector<std::vector<std::size_t>> groups_of_hosts(const BitMatrix& blocked, const BitMatrix& unknown) {
  return Grouping(blocked, unknown).run();
}

}  // namespace lockstep::flows
