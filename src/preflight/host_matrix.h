// Which hosts reach which: hosts that treat all others alike, and are treated alike, stand in one line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "network/bit_matrix.h"
#include "network/host_facts.h"

namespace lockstep::preflight {

constexpr char kOpen = '.';
constexpr char kBlocked = 'x';
constexpr char kNotKnown = '?';

struct HostMatrix {
  struct Line {
    std::string hosts;  // "node1", or "node1 and 61 like it"
    std::size_t count = 1;
    std::string cells;  // one for each line, in their order: a source's connections to all of them
  };
  std::vector<Line> lines = {};  // at most 40
  std::size_t left_out = 0;      // groups that have no line

  bool empty() const { return lines.empty(); }
};

// Rows are sources; the diagonals are not looked at. Blocked counts where both are set.
HostMatrix fold(const network::BitMatrix& blocked, const network::BitMatrix& unknown,
                std::span<const network::HostFacts> hosts);

// For a terminal.
std::string to_text(const HostMatrix& matrix);

}  // namespace lockstep::preflight
