// What a replay is told of how ranks lie to each other.
#include <algorithm>

#include "fill.h"
#include "handles.h"
#include "solo.h"
#include "topology.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

using Kind = Topology::Kind;

void copy(const int* from, int count, int* to) {
  std::copy(from, from + count, to);
}

// Like the real one, these answer for communicators of their own kind alone.
template <typename Answer, typename Ask>
int answer(MPI_Comm communicator, Kind kind, Answer answer_from, Ask ask_real) {
  if (find_solo_communicator(communicator) == nullptr) return ask_real();
  const Topology topology(communicator);
  return topology.kind() == kind ? answer_from(topology) : MPI_ERR_TOPOLOGY;
}

int solo_Topo_test(MPI_Comm communicator, int* kind) {
  if (find_solo_communicator(communicator) == nullptr) return real.Topo_test(communicator, kind);
  constexpr int kWords[] = {MPI_UNDEFINED, MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  *kind = kWords[static_cast<int>(Topology(communicator).kind())];
  return MPI_SUCCESS;
}

int solo_Cartdim_get(MPI_Comm communicator, int* dimensions) {
  const auto from = [&](const Topology& grid) {
    *dimensions = grid.dimensions();
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kGrid, from, [&] { return real.Cartdim_get(communicator, dimensions); });
}

int write_place(const Topology& grid, int rank, int most, int* coordinates) {
  LocalArray<int> all(grid.dimensions());
  if (all.data() == nullptr) return MPI_ERR_NO_MEM;
  grid.place_of(rank, all.data());
  copy(all.data(), std::min(most, grid.dimensions()), coordinates);
  return MPI_SUCCESS;
}

int solo_Cart_get(MPI_Comm communicator, int most, int* sizes, int* rings, int* coordinates) {
  const auto from = [&](const Topology& grid) {
    for (int i = 0; i < std::min(most, grid.dimensions()); ++i) {
      sizes[i] = grid.size(i);
      rings[i] = grid.is_ring(i) ? 1 : 0;
    }
    return write_place(grid, find_solo_communicator(communicator)->rank, most, coordinates);
  };
  return answer(communicator, Kind::kGrid, from,
                [&] { return real.Cart_get(communicator, most, sizes, rings, coordinates); });
}

int solo_Cart_rank(MPI_Comm communicator, const int* coordinates, int* rank) {
  const auto from = [&](const Topology& grid) {
    *rank = grid.rank_at(coordinates);
    return *rank == MPI_PROC_NULL ? MPI_ERR_RANK : MPI_SUCCESS;
  };
  return answer(communicator, Kind::kGrid, from,
                [&] { return real.Cart_rank(communicator, coordinates, rank); });
}

int solo_Cart_coords(MPI_Comm communicator, int rank, int most, int* coordinates) {
  const auto from = [&](const Topology& grid) { return write_place(grid, rank, most, coordinates); };
  return answer(communicator, Kind::kGrid, from,
                [&] { return real.Cart_coords(communicator, rank, most, coordinates); });
}

int solo_Cart_shift(MPI_Comm communicator, int dimension, int by, int* source, int* destination) {
  const auto from = [&](const Topology& grid) {
    if (dimension < 0 || dimension >= grid.dimensions()) return MPI_ERR_DIMS;
    const int rank = find_solo_communicator(communicator)->rank;
    *source = grid.shifted(rank, dimension, -by);
    *destination = grid.shifted(rank, dimension, by);
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kGrid, from,
                [&] { return real.Cart_shift(communicator, dimension, by, source, destination); });
}

int solo_Graphdims_get(MPI_Comm communicator, int* nodes, int* edges) {
  const auto from = [&](const Topology& graph) {
    *nodes = graph.at(1);
    *edges = graph.at(2);
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kGraph, from,
                [&] { return real.Graphdims_get(communicator, nodes, edges); });
}

int solo_Graph_get(MPI_Comm communicator, int most_nodes, int most_edges, int* ends, int* edges) {
  const auto from = [&](const Topology& graph) {
    copy(graph.numbers(3), std::min(most_nodes, graph.at(1)), ends);
    copy(graph.numbers(3 + graph.at(1)), std::min(most_edges, graph.at(2)), edges);
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kGraph, from,
                [&] { return real.Graph_get(communicator, most_nodes, most_edges, ends, edges); });
}

bool is_node(const Topology& graph, int rank) {
  return rank >= 0 && rank < graph.at(1);
}

int solo_Graph_neighbors_count(MPI_Comm communicator, int rank, int* count) {
  const auto from = [&](const Topology& graph) {
    if (!is_node(graph, rank)) return MPI_ERR_RANK;
    *count = graph.edge_count(rank);
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kGraph, from,
                [&] { return real.Graph_neighbors_count(communicator, rank, count); });
}

int solo_Graph_neighbors(MPI_Comm communicator, int rank, int most, int* neighbours) {
  const auto from = [&](const Topology& graph) {
    if (!is_node(graph, rank)) return MPI_ERR_RANK;
    copy(graph.numbers(graph.first_edge(rank)), std::min(most, graph.edge_count(rank)), neighbours);
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kGraph, from,
                [&] { return real.Graph_neighbors(communicator, rank, most, neighbours); });
}

int solo_Dist_graph_neighbors_count(MPI_Comm communicator, int* sources, int* destinations, int* weighted) {
  const auto from = [&](const Topology& graph) {
    *sources = graph.at(1);
    *destinations = graph.at(2);
    *weighted = graph.at(3);
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kAdjacent, from, [&] {
    return real.Dist_graph_neighbors_count(communicator, sources, destinations, weighted);
  });
}

int solo_Dist_graph_neighbors(MPI_Comm communicator, int most_sources, int* sources, int* source_weights,
                              int most_destinations, int* destinations, int* destination_weights) {
  const auto from = [&](const Topology& graph) {
    const int ins = std::min(most_sources, graph.at(1));
    const int outs = std::min(most_destinations, graph.at(2));
    const int* const first_out = graph.numbers(4 + 2 * graph.at(1));
    const bool is_weighted = graph.at(3) != 0;
    copy(graph.numbers(4), ins, sources);
    copy(first_out, outs, destinations);
    if (is_weighted && source_weights != handles.unweighted) {
      copy(graph.numbers(4 + graph.at(1)), ins, source_weights);
    }
    if (is_weighted && destination_weights != handles.unweighted) {
      copy(first_out + graph.at(2), outs, destination_weights);
    }
    return MPI_SUCCESS;
  };
  return answer(communicator, Kind::kAdjacent, from, [&] {
    return real.Dist_graph_neighbors(communicator, most_sources, sources, source_weights, most_destinations,
                                     destinations, destination_weights);
  });
}

}  // namespace

void fill_solo_topology(AnyFunction* table) {
#define LOCKSTEP_FILL_SOLO(name) put(table, k##name, real.name, solo_##name);
  LOCKSTEP_FILL_SOLO(Topo_test)
  LOCKSTEP_FILL_SOLO(Cartdim_get)
  LOCKSTEP_FILL_SOLO(Cart_get)
  LOCKSTEP_FILL_SOLO(Cart_rank)
  LOCKSTEP_FILL_SOLO(Cart_coords)
  LOCKSTEP_FILL_SOLO(Cart_shift)
  LOCKSTEP_FILL_SOLO(Graphdims_get)
  LOCKSTEP_FILL_SOLO(Graph_get)
  LOCKSTEP_FILL_SOLO(Graph_neighbors_count)
  LOCKSTEP_FILL_SOLO(Graph_neighbors)
  LOCKSTEP_FILL_SOLO(Dist_graph_neighbors_count)
  LOCKSTEP_FILL_SOLO(Dist_graph_neighbors)
#undef LOCKSTEP_FILL_SOLO
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
