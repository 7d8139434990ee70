// The functions of MPI that are wrapped, each with the number of its arguments. All arguments are integers or
// pointers: that is what lets front.cc pass them on without knowing either ABI.
#pragma once

// clang-format off
#define LOCKSTEP_MPI_FUNCTIONS(X)                                                                             \
  X(Init, 2) X(Init_thread, 4) X(Finalize, 0) X(Abort, 2)                                                     \
  X(Barrier, 1) X(Bcast, 5) X(Reduce, 7) X(Allreduce, 6) X(Gather, 8) X(Gatherv, 9) X(Scatter, 8)             \
  X(Scatterv, 9) X(Allgather, 7) X(Allgatherv, 8) X(Alltoall, 7) X(Alltoallv, 9) X(Alltoallw, 9)              \
  X(Reduce_scatter, 6) X(Reduce_scatter_block, 6) X(Scan, 6) X(Exscan, 6)                                     \
  X(Ibarrier, 2) X(Ibcast, 6) X(Ireduce, 8) X(Iallreduce, 7) X(Igather, 9) X(Igatherv, 10) X(Iscatter, 9)     \
  X(Iscatterv, 10) X(Iallgather, 8) X(Iallgatherv, 9) X(Ialltoall, 8) X(Ialltoallv, 10) X(Ialltoallw, 10)     \
  X(Ireduce_scatter, 7) X(Ireduce_scatter_block, 7) X(Iscan, 7) X(Iexscan, 7)                                 \
  X(Send, 6) X(Ssend, 6) X(Bsend, 6) X(Rsend, 6) X(Recv, 7) X(Sendrecv, 12) X(Sendrecv_replace, 9)            \
  X(Isend, 7) X(Issend, 7) X(Ibsend, 7) X(Irsend, 7) X(Irecv, 7)                                              \
  X(Send_init, 7) X(Ssend_init, 7) X(Bsend_init, 7) X(Rsend_init, 7) X(Recv_init, 7) X(Start, 1)              \
  X(Startall, 2) X(Request_free, 1)                                                                           \
  X(Wait, 2) X(Waitall, 3) X(Waitany, 4) X(Waitsome, 5) X(Test, 3) X(Testall, 4) X(Testany, 5) X(Testsome, 5) \
  X(Comm_dup, 2) X(Comm_dup_with_info, 3) X(Comm_split, 4) X(Comm_split_type, 5) X(Comm_create, 3)            \
  X(Comm_create_group, 4) X(Cart_create, 6) X(Cart_sub, 3) X(Comm_free, 1) X(Comm_disconnect, 1)              \
  X(Comm_rank, 2) X(Comm_size, 2) X(Comm_group, 2) X(Comm_compare, 3) X(Group_size, 2) X(Group_rank, 2)       \
  X(Group_incl, 4) X(Group_excl, 4) X(Group_range_incl, 4) X(Group_range_excl, 4) X(Group_union, 3)           \
  X(Group_intersection, 3) X(Group_difference, 3) X(Group_compare, 3) X(Group_translate_ranks, 5)             \
  X(Group_free, 1) X(Probe, 4) X(Iprobe, 5) X(Cancel, 1)                                                      \
  X(Mprobe, 5) X(Improbe, 6) X(Mrecv, 5) X(Imrecv, 5)                                                         \
  X(Graph_create, 6) X(Dist_graph_create, 9) X(Dist_graph_create_adjacent, 10) X(Topo_test, 2)                \
  X(Cartdim_get, 2) X(Cart_get, 5) X(Cart_rank, 3) X(Cart_coords, 4) X(Cart_shift, 5) X(Graphdims_get, 3)     \
  X(Graph_get, 5) X(Graph_neighbors_count, 3) X(Graph_neighbors, 4) X(Dist_graph_neighbors_count, 4)          \
  X(Dist_graph_neighbors, 7)                                                                                  \
  X(Neighbor_allgather, 7) X(Neighbor_allgatherv, 8) X(Neighbor_alltoall, 7) X(Neighbor_alltoallv, 9)         \
  X(Neighbor_alltoallw, 9) X(Ineighbor_allgather, 8) X(Ineighbor_allgatherv, 9) X(Ineighbor_alltoall, 8)      \
  X(Ineighbor_alltoallv, 10) X(Ineighbor_alltoallw, 10)

// Functions that no recording has the result of: one process alone would do something else, so a replay ends
// there. Everywhere else they go straight to MPI.
#define LOCKSTEP_MPI_REFUSED(X)                                                                               \
  X(Win_create, 6) X(Win_allocate, 6) X(Win_allocate_shared, 6) X(Win_create_dynamic, 3)                      \
  X(Intercomm_create, 6) X(Intercomm_merge, 3) X(Comm_spawn, 8) X(Comm_spawn_multiple, 9) X(Comm_accept, 5)   \
  X(Comm_connect, 5) X(Comm_join, 2) X(Comm_idup, 3) X(Comm_idup_with_info, 4) X(Cart_map, 5) X(Graph_map, 5) \
  X(Barrier_init, 3) X(Bcast_init, 7) X(Reduce_init, 9) X(Allreduce_init, 8) X(Gather_init, 10)               \
  X(Scatter_init, 10) X(Allgather_init, 9) X(Alltoall_init, 9) X(Reduce_scatter_init, 8)                      \
  X(Reduce_scatter_block_init, 8) X(Psend_init, 8) X(Precv_init, 8)

// Handles for Fortran and back. The messages of a replay are some that MPI does not know.
#define LOCKSTEP_MPI_CONVERSIONS(X) X(Message_c2f) X(Message_f2c)
// clang-format on

namespace lockstep::adapters::mpi {

enum Function : unsigned {
#define LOCKSTEP_MPI_NUMBER(name, arguments) k##name,
  LOCKSTEP_MPI_FUNCTIONS(LOCKSTEP_MPI_NUMBER)
#undef LOCKSTEP_MPI_NUMBER
      kFunctionCount
};

enum Refused : unsigned {
#define LOCKSTEP_MPI_NUMBER(name, arguments) kRefused##name,
  LOCKSTEP_MPI_REFUSED(LOCKSTEP_MPI_NUMBER)
#undef LOCKSTEP_MPI_NUMBER
      kRefusedCount
};

enum Conversion : unsigned {
#define LOCKSTEP_MPI_NUMBER(name) k##name,
  LOCKSTEP_MPI_CONVERSIONS(LOCKSTEP_MPI_NUMBER)
#undef LOCKSTEP_MPI_NUMBER
      kConversionCount
};

using AnyFunction = void (*)();

}  // namespace lockstep::adapters::mpi
