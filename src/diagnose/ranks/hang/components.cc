#include "diagnose/ranks/hang/components.h"

#include <algorithm>
#include <limits>

namespace lockstep::ranks {
namespace {

constexpr std::size_t kUnvisited = std::numeric_limits<std::size_t>::max();

struct Visit {
  std::size_t node;
  std::size_t next_edge = 0;
};

}  // namespace

Components components_of(const Graph& graph) {
  Components result{.of = std::vector<std::size_t>(graph.size(), kUnvisited), .count = 0};
  std::vector<std::size_t> order(graph.size(), kUnvisited);
  std::vector<std::size_t> low(graph.size(), 0);
  std::vector<std::size_t> open;  // visited, not yet in a component
  std::vector<Visit> path;
  std::size_t visited = 0;

  const auto enter = [&](std::size_t node) {
    order[node] = low[node] = visited++;
    open.push_back(node);
    path.push_back({.node = node});
  };
  const auto close = [&](std::size_t node) {
    if (low[node] != order[node]) return;
    std::size_t member = kUnvisited;
    do {
      member = open.back();
      open.pop_back();
      result.of[member] = result.count;
    } while (member != node);
    ++result.count;
  };

  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (order[start] != kUnvisited) continue;
    enter(start);
    while (!path.empty()) {
      Visit& here = path.back();
      const std::size_t node = here.node;
      if (here.next_edge < graph[node].size()) {
        const std::size_t next = graph[node][here.next_edge++];
        if (order[next] == kUnvisited) {
          enter(next);
        } else if (result.of[next] == kUnvisited) {
          low[node] = std::min(low[node], order[next]);
        }
        continue;
      }
      close(node);
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
    }
  }
  return result;
}

}  // namespace lockstep::ranks
