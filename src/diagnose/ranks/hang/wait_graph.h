// From who-waits-for-whom to why nobody moves.
//
// Ranks and waits form a graph: a rank leads to each wait it is in, a wait leads to each rank that did not
// come to it. Following it from any victim ends in one of three places, and those are the causes: a rank that
// waits for nobody, a wait to which everyone came, or a circle. (The idea is the wait-for graph of MPI
// checkers, with collectives as nodes that need all of their members.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "diagnose/ranks/hang/wait.h"

namespace lockstep::ranks {

using Graph = std::vector<std::vector<std::size_t>>;  // by node: where its edges lead

// The strongly connected components of a directed graph, by Tarjan's method without recursion.
struct Components {
  std::vector<std::size_t> of;  // by node; a component's number is lower than those of all that lead to it
  std::size_t count = 0;
};

Components components_of(const Graph& graph);

enum class CauseKind : std::uint8_t {
  kMissing,  // ranks that wait for nobody, or went past it, did not come
  kExtra,    // most members did not come: those few who did called something the others never meant to
  kAllCame,  // everyone came and it does not end
  kCircle    // ranks wait for each other
};

struct Cause {
  CauseKind kind = CauseKind::kMissing;
  std::vector<int> roots;          // ascending
  std::vector<int> silent;         // missed too, and left no evidence
  std::vector<int> victims;        // everyone else who waits because of it, directly or not; ascending
  std::vector<std::size_t> waits;  // where it shows: indices into the waits, ascending
  bool is_absence = false;         // no evidence of any root
};

// `explained` marks waits that already have a reason (a mismatch): they are where the search ends. Linear in
// the number of waiting and awaited ranks.
std::vector<Cause> find_causes(const model::Job& job, std::span<const Wait> waits,
                               const std::vector<bool>& explained);

}  // namespace lockstep::ranks
