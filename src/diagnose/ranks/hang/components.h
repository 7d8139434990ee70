// The strongly connected components of a directed graph, by Tarjan's method without recursion.
#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::ranks {

using Graph = std::vector<std::vector<std::size_t>>;  // by node: where its edges lead

struct Components {
  std::vector<std::size_t> of;  // by node; a component's number is lower than those of all that lead to it
  std::size_t count = 0;
};

Components components_of(const Graph& graph);

}  // namespace lockstep::ranks
