// Every pair of hosts at once. A host treats all peers alike that no rule, route or network of its own tells
// apart: one answer for each such class instead of one for each pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/reach.h"

namespace lockstep::network {

struct Endpoint {
  const ReachHost* host = nullptr;
  Address address = {};  // at which the job finds it
};

struct PairsVerdict {
  std::size_t hosts = 0;
  std::uint64_t open = 0;  // directed pairs
  std::uint64_t blocked = 0;
  std::uint64_t unknown = 0;

  struct Example {
    std::size_t source = 0;
    std::size_t destination = 0;
    Reach reach = Reach::kBlocked;
  };
  std::vector<Example> examples = {};  // blocked ones first; judge_flow explains them

  Reach at(std::size_t source, std::size_t destination) const;

  // A bit for each directed pair, one row for each source.
  std::vector<std::uint64_t> blocked_bits = {};
  std::vector<std::uint64_t> unknown_bits = {};
  std::size_t row_words = 0;
};

// From every endpoint to every other, at these ports of the destination. Uses up to `threads` threads.
PairsVerdict judge_pairs(std::span<const Endpoint> endpoints, const PortSet& ports, unsigned threads,
                         std::size_t most_examples = 100);

}  // namespace lockstep::network
