// Collectives among neighbours. Every rank of the communicator calls them, and each gets something else.
#include "collective_call.h"
#include "fill.h"
#include "topology.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

// A block for each neighbour. What is meant for nobody, beyond the edge of a grid, may never have been
// written: it is no input.
class Given {
 public:
  Given(const void* data, MPI_Datatype type, int count, const Topology& topology)
      : counts_(topology.destination_count()), offsets_(topology.destination_count()) {
    if (!copy(topology, [&](int) { return count; })) return;
    for (int i = 0; i < topology.destination_count(); ++i) offsets_.data()[i] = i * count;
    region = blocks_of(data, type, counts_.data(), offsets_.data(), topology.destination_count());
  }
  Given(const void* data, MPI_Datatype type, const int* counts, const int* offsets, const Topology& topology)
      : counts_(topology.destination_count()), offsets_(0) {
    if (!copy(topology, [&](int i) { return counts[i]; })) return;
    region = blocks_of(data, type, counts_.data(), offsets, topology.destination_count());
  }
  Given(const void* data, const MPI_Datatype* types, const int* counts, const MPI_Aint* offsets,
        const Topology& topology)
      : counts_(topology.destination_count()), offsets_(0) {
    if (!copy(topology, [&](int i) { return counts[i]; })) return;
    region = blocks_of(data, types, counts_.data(), offsets, topology.destination_count());
  }

  Region region;

 private:
  template <typename CountOf>
  bool copy(const Topology& topology, CountOf count_of) {
    if (counts_.data() == nullptr || offsets_.data() == nullptr) return false;
    for (int i = 0; i < topology.destination_count(); ++i) {
      counts_.data()[i] = topology.destination(i) == MPI_PROC_NULL ? 0 : count_of(i);
    }
    return true;
  }

  LocalArray<int> counts_;
  LocalArray<int> offsets_;
};

Collective exchange(const Region& given, const Region& got) {
  return {LOCKSTEP_OPERATION_AllToAll, kUneven, LOCKSTEP_REDUCE_OP_None, kNoRoot, given, got};
}

// What it gives is read at once; what it gets, at its end.
#define LOCKSTEP_NEIGHBOURS(name, PARAMETERS, ARGUMENTS, GIVEN, GOT)                             \
  int wrap_Neighbor_##name(LOCKSTEP_UNPACK PARAMETERS) {                                         \
    if (lockstep_is_recording() == 0 || !keeps_payload()) {                                      \
      return blocking(                                                                           \
          kNeighbor_##name, comm, [] { return exchange({}, {}); },                               \
          [&] { return real.Neighbor_##name(LOCKSTEP_UNPACK ARGUMENTS); });                      \
    }                                                                                            \
    const Topology topology(comm);                                                               \
    const auto given = GIVEN;                                                                    \
    return blocking(                                                                             \
        kNeighbor_##name, comm, [&] { return exchange(given.region, GOT); },                     \
        [&] { return real.Neighbor_##name(LOCKSTEP_UNPACK ARGUMENTS); });                        \
  }                                                                                              \
  int wrap_Ineighbor_##name(LOCKSTEP_UNPACK PARAMETERS, MPI_Request* request) {                  \
    const auto call = [&] { return real.Ineighbor_##name(LOCKSTEP_UNPACK ARGUMENTS, request); }; \
    if (lockstep_is_recording() == 0 || !keeps_payload()) {                                      \
      return non_blocking(                                                                       \
          kIneighbor_##name, comm, request, [] { return exchange({}, {}); }, call);              \
    }                                                                                            \
    const Topology topology(comm);                                                               \
    const auto given = GIVEN;                                                                    \
    return non_blocking(                                                                         \
        kIneighbor_##name, comm, request, [&] { return exchange(given.region, GOT); }, call);    \
  }

struct Same {
  Region region;
};

LOCKSTEP_NEIGHBOURS(allgather,
                    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                     int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_count, send_type, receive, receive_count, receive_type, comm),
                    (Same{plain(send, send_type, send_count)}),
                    plain(receive, receive_type, std::int64_t{receive_count} * topology.source_count()))

LOCKSTEP_NEIGHBOURS(allgatherv,
                    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                     const int* receive_counts, const int* offsets, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_count, send_type, receive, receive_counts, offsets, receive_type, comm),
                    (Same{plain(send, send_type, send_count)}),
                    blocks_of(receive, receive_type, receive_counts, offsets, topology.source_count()))

LOCKSTEP_NEIGHBOURS(alltoall,
                    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                     int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_count, send_type, receive, receive_count, receive_type, comm),
                    Given(send, send_type, send_count, topology),
                    plain(receive, receive_type, std::int64_t{receive_count} * topology.source_count()))

LOCKSTEP_NEIGHBOURS(alltoallv,
                    (const void* send, const int* send_counts, const int* send_offsets,
                     MPI_Datatype send_type, void* receive, const int* receive_counts,
                     const int* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
                     receive_type, comm),
                    Given(send, send_type, send_counts, send_offsets, topology),
                    blocks_of(receive, receive_type, receive_counts, receive_offsets,
                              topology.source_count()))

LOCKSTEP_NEIGHBOURS(alltoallw,
                    (const void* send, const int* send_counts, const MPI_Aint* send_offsets,
                     const MPI_Datatype* send_types, void* receive, const int* receive_counts,
                     const MPI_Aint* receive_offsets, const MPI_Datatype* receive_types, MPI_Comm comm),
                    (send, send_counts, send_offsets, send_types, receive, receive_counts, receive_offsets,
                     receive_types, comm),
                    Given(send, send_types, send_counts, send_offsets, topology),
                    blocks_of(receive, receive_types, receive_counts, receive_offsets,
                              topology.source_count()))

}  // namespace

void fill_neighbour_collectives(AnyFunction* table) {
  LOCKSTEP_FILL(Neighbor_allgather)
  LOCKSTEP_FILL(Neighbor_allgatherv)
  LOCKSTEP_FILL(Neighbor_alltoall)
  LOCKSTEP_FILL(Neighbor_alltoallv)
  LOCKSTEP_FILL(Neighbor_alltoallw)
  LOCKSTEP_FILL(Ineighbor_allgather)
  LOCKSTEP_FILL(Ineighbor_allgatherv)
  LOCKSTEP_FILL(Ineighbor_alltoall)
  LOCKSTEP_FILL(Ineighbor_alltoallv)
  LOCKSTEP_FILL(Ineighbor_alltoallw)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
