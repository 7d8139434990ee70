// How the ranks of a communicator lie to each other, as MPI tells it, or in a replay as it was told then. A
// row of numbers, which recordings hold:
//
//   grid             1, dimensions n, n sizes, n times whether it is closed to a ring
//   graph            2, nodes n, edges m, n ends of each node's edges, m edges
//   adjacent graph   3, sources n, destinations m, is weighted, n sources, n weights, m destinations, m
//   weights
#pragma once

#include "abi.h"
#include "local_array.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

class Topology {
 public:
  enum class Kind { kNone = 0, kGrid = 1, kGraph = 2, kAdjacent = 3 };

  explicit Topology(MPI_Comm communicator);
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  Kind kind() const { return count_ == 0 ? Kind::kNone : static_cast<Kind>(numbers_.data()[0]); }
  int count() const { return count_; }
  int at(int index) const { return numbers_.data()[index]; }
  const int* numbers(int first = 0) const { return numbers_.data() + first; }

  // Neighbours in the order in which collectives take them; MPI_PROC_NULL beyond an edge of a grid.
  int source_count() const;
  int destination_count() const;
  int source(int index) const { return neighbour(index, false); }
  int destination(int index) const { return neighbour(index, true); }

  // Of a grid.
  int dimensions() const { return at(1); }
  int size(int dimension) const { return at(2 + dimension); }
  bool is_ring(int dimension) const { return at(2 + dimensions() + dimension) != 0; }
  void place_of(int rank, int* coordinates) const;
  int rank_at(const int* coordinates) const;  // MPI_PROC_NULL: beyond an edge
  int shifted(int rank, int dimension, int by) const;

  // Of a graph: where the edges of a rank begin among the numbers, and how many there are.
  int first_edge(int rank) const;
  int edge_count(int rank) const;

 private:
  int neighbour(int index, bool is_destination) const;
  void ask(MPI_Comm communicator);

  int own_rank_;
  int count_;
  mutable LocalArray<int> numbers_;
};

// In a replay: what is asked of a communicator's topology.
void fill_solo_topology(AnyFunction* table);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
