// Which hosts reach which: hosts that treat all others alike, and are treated alike, stand in one line.
#pragma once

#include <span>
#include <string>
#include <vector>

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
  std::vector<Line> lines = {};

  bool empty() const { return lines.empty(); }
};

// `cells[source][destination]`, square; the diagonal is not looked at.
HostMatrix fold(const std::vector<std::string>& cells, std::span<const network::HostFacts> hosts);

// For a terminal, at most 40 lines of it.
std::string to_text(const HostMatrix& matrix);

}  // namespace lockstep::preflight
