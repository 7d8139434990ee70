// Every pair of hosts at once. A host treats all peers alike that no rule, route or network of its own tells
// apart: one answer for each such class instead of one for each pair.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/bit_matrix.h"
#include "network/reach_hosts.h"

namespace lockstep::network {

struct Endpoint {
  std::size_t host = 0;                     // among the ReachHosts
  base::Address address = {};               // at which the others find it
  PortSet ports = {};                       // where it listens: all of them must be open
  std::optional<base::Address> bound = {};  // from which it connects; empty: its routes choose
};

struct PairsVerdict {
  std::uint64_t open = 0;  // directed pairs
  std::uint64_t blocked = 0;
  std::uint64_t unknown = 0;

  // A row for each source.
  BitMatrix blocked_pairs = {};
  BitMatrix unknown_pairs = {};

  Reach at(std::size_t source, std::size_t destination) const {
    if (blocked_pairs.has(source, destination)) return Reach::kBlocked;
    return unknown_pairs.has(source, destination) ? Reach::kUnknown : Reach::kOpen;
  }
};

// From every endpoint to every other, as judge_flow would say it of each. Uses up to `threads` threads.
PairsVerdict judge_pairs(const ReachHosts& hosts, std::span<const Endpoint> endpoints, unsigned threads);

}  // namespace lockstep::network
