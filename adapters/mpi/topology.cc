#include "topology.h"

#include <string.h>

#include "communicators.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr int kGridHead = 2;
constexpr int kGraphHead = 3;
constexpr int kAdjacentHead = 4;

int count_of_real(MPI_Comm communicator) {
  int kind = MPI_UNDEFINED;
  int first = 0;
  int second = 0;
  int third = 0;
  if (real.Topo_test(communicator, &kind) != MPI_SUCCESS) return 0;
  if (kind == MPI_CART && real.Cartdim_get(communicator, &first) == MPI_SUCCESS) return kGridHead + 2 * first;
  if (kind == MPI_GRAPH && real.Graphdims_get(communicator, &first, &second) == MPI_SUCCESS) {
    return kGraphHead + first + second;
  }
  if (kind == MPI_DIST_GRAPH &&
      real.Dist_graph_neighbors_count(communicator, &first, &second, &third) == MPI_SUCCESS) {
    return kAdjacentHead + 2 * (first + second);
  }
  return 0;
}

int count_of(MPI_Comm communicator) {
  const SoloCommunicator* const solo = find_solo_communicator(communicator);
  return solo != nullptr ? solo->topology_count : count_of_real(communicator);
}

}  // namespace

Topology::Topology(MPI_Comm communicator)
    : own_rank_(rank_in(communicator)), count_(count_of(communicator)), numbers_(count_) {
  if (numbers_.data() == nullptr) count_ = 0;
  if (count_ == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(count_) * sizeof(int);
  const SoloCommunicator* const solo = find_solo_communicator(communicator);
  ::memset(numbers_.data(), 0, bytes);
  if (solo != nullptr) {
    ::memcpy(numbers_.data(), solo->members + solo->size, bytes);
  } else {
    ask(communicator);
  }
}

void Topology::ask(MPI_Comm communicator) {
  int* const numbers = numbers_.data();
  int kind = MPI_UNDEFINED;
  real.Topo_test(communicator, &kind);
  if (kind == MPI_CART) {
    numbers[0] = static_cast<int>(Kind::kGrid);
    real.Cartdim_get(communicator, &numbers[1]);
    LocalArray<int> coordinates(dimensions());
    if (coordinates.data() == nullptr) return;
    real.Cart_get(communicator, dimensions(), numbers + kGridHead, numbers + kGridHead + dimensions(),
                  coordinates.data());
  } else if (kind == MPI_GRAPH) {
    numbers[0] = static_cast<int>(Kind::kGraph);
    real.Graphdims_get(communicator, &numbers[1], &numbers[2]);
    real.Graph_get(communicator, numbers[1], numbers[2], numbers + kGraphHead,
                   numbers + kGraphHead + numbers[1]);
  } else {
    numbers[0] = static_cast<int>(Kind::kAdjacent);
    real.Dist_graph_neighbors_count(communicator, &numbers[1], &numbers[2], &numbers[3]);
    int* const sources = numbers + kAdjacentHead;
    int* const destinations = sources + 2 * numbers[1];
    real.Dist_graph_neighbors(communicator, numbers[1], sources, sources + numbers[1], numbers[2],
                              destinations, destinations + numbers[2]);
  }
}

int Topology::source_count() const {
  switch (kind()) {
    case Kind::kGrid:
      return 2 * dimensions();
    case Kind::kGraph:
      return edge_count(own_rank_);
    case Kind::kAdjacent:
      return at(1);
    default:
      return 0;
  }
}

int Topology::destination_count() const {
  return kind() == Kind::kAdjacent ? at(2) : source_count();
}

int Topology::neighbour(int index, bool is_destination) const {
  if (kind() == Kind::kGrid) return shifted(own_rank_, index / 2, index % 2 == 0 ? -1 : 1);
  if (kind() == Kind::kGraph) return at(first_edge(own_rank_) + index);
  return at(kAdjacentHead + (is_destination ? 2 * at(1) : 0) + index);
}

void Topology::place_of(int rank, int* coordinates) const {
  for (int i = dimensions() - 1; i >= 0; --i) {
    coordinates[i] = rank % size(i);
    rank /= size(i);
  }
}

int Topology::rank_at(const int* coordinates) const {
  int rank = 0;
  for (int i = 0; i < dimensions(); ++i) {
    int coordinate = coordinates[i];
    if (is_ring(i)) coordinate = (coordinate % size(i) + size(i)) % size(i);
    if (coordinate < 0 || coordinate >= size(i)) return MPI_PROC_NULL;
    rank = rank * size(i) + coordinate;
  }
  return rank;
}

int Topology::shifted(int rank, int dimension, int by) const {
  LocalArray<int> coordinates(dimensions());
  if (coordinates.data() == nullptr) return MPI_PROC_NULL;
  place_of(rank, coordinates.data());
  coordinates.data()[dimension] += by;
  return rank_at(coordinates.data());
}

int Topology::first_edge(int rank) const {
  return kGraphHead + at(1) + (rank == 0 ? 0 : at(kGraphHead + rank - 1));
}

int Topology::edge_count(int rank) const {
  return at(kGraphHead + rank) - (rank == 0 ? 0 : at(kGraphHead + rank - 1));
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
