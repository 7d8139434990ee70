// Ranks that left a collective out and went on, told from those that only come to it later.
//
// Two ranks that wait for each other in two places may have an order of calls each: neither is then past the
// place where the other waits. But a rank that finished what the others issued after that place, or the
// training step in which they are still waiting, will never come: it is the one that is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "diagnose/ranks/hang/wait.h"

namespace lockstep::ranks {

class SkippedCollective {
 public:
  explicit SkippedCollective(const model::Job& job) : job_(job) {}

  // Those of the wait's absent members; ascending. The events of a rank are looked through once, however many
  // waits it is in.
  std::vector<int> of(const Wait& wait);

 private:
  using Numbers = std::unordered_map<model::CommunicatorId, std::uint64_t>;
  struct Reached {
    std::optional<std::uint64_t> step;  // the last one it ended
    Numbers completed;                  // the last collective of each communicator
  };

  const Reached& reached(const model::RankHistory& history);
  Numbers first_issued_later(const Wait& wait) const;
  std::optional<std::uint64_t> furthest_step(const Wait& wait);

  const model::Job& job_;
  std::unordered_map<int, Reached> reached_;  // by rank number
};

}  // namespace lockstep::ranks
