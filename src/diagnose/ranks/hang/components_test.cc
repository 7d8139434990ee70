#include "diagnose/ranks/hang/components.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::ranks {
namespace {

std::vector<std::vector<bool>> slow_reachable(const Graph& graph) {
  std::vector<std::vector<bool>> reaches(graph.size(), std::vector<bool>(graph.size()));
  for (std::size_t node = 0; node < graph.size(); ++node) {
    reaches[node][node] = true;
    for (const std::size_t next : graph[node]) reaches[node][next] = true;
  }
  for (std::size_t middle = 0; middle < graph.size(); ++middle) {
    for (std::size_t from = 0; from < graph.size(); ++from) {
      for (std::size_t to = 0; to < graph.size(); ++to) {
        if (reaches[from][middle] && reaches[middle][to]) reaches[from][to] = true;
      }
    }
  }
  return reaches;
}

RC_GTEST_PROP(Components, AreTheNodesThatReachEachOther, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(1, 12);
  Graph graph(nodes);
  for (auto& edges : graph) {
    edges = *rc::gen::container<std::vector<std::size_t>>(*rc::gen::inRange<std::size_t>(0, 4),
                                                          rc::gen::inRange<std::size_t>(0, nodes));
  }
  const Components components = components_of(graph);
  const auto reaches = slow_reachable(graph);
  for (std::size_t left = 0; left < nodes; ++left) {
    for (std::size_t right = 0; right < nodes; ++right) {
      RC_ASSERT((components.of[left] == components.of[right]) ==
                (reaches[left][right] && reaches[right][left]));
      if (reaches[left][right]) RC_ASSERT(components.of[left] >= components.of[right]);
    }
  }
}

TEST(Components, SurviveALongChain) {
  Graph graph(200'000);
  for (std::size_t node = 0; node + 1 < graph.size(); ++node) graph[node].push_back(node + 1);
  EXPECT_EQ(components_of(graph).count, graph.size());
}

}  // namespace
}  // namespace lockstep::ranks
