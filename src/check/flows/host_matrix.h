// Which hosts reach which: hosts that treat all others alike, and are treated alike, stand in one line.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hostinfo/host_facts.h"
#include "network/bit_matrix.h"

namespace lockstep::flows {

constexpr char kOpen = '.';
constexpr char kBlocked = 'x';
constexpr char kNotKnown = '?';

struct HostMatrix {
  struct Line {
    std::string hosts;  // "node1", or "node1 and 61 like it"
    std::size_t count = 1;
    std::string cells;  // one for each line, in their order: a source's connections to all of them
    std::map<std::size_t, std::string> why = {};  // what decides, for blocked cells by their place
    std::vector<std::size_t> members = {};        // places among the hosts
  };
  std::vector<Line> lines = {};  // at most 40
  std::size_t left_out = 0;      // groups that have no line

  bool empty() const { return lines.empty(); }
};

// Rows are sources; the diagonals are not looked at. Blocked counts where both are set.
HostMatrix fold(const network::BitMatrix& blocked, const network::BitMatrix& unknown,
                std::span<const hostinfo::HostFacts> hosts);

// Of two hosts, in words; empty: nobody knows.
using Reason = std::function<std::string(std::size_t source, std::size_t destination)>;

// Asks for each blocked cell once, of the first hosts that stand for it.
void give_reasons(HostMatrix& matrix, const Reason& reason);

// For a terminal.
std::string to_text(const HostMatrix& matrix);

}  // namespace lockstep::flows
