// Blocking and non-blocking collectives. The two differ only in who sees the end.
#include "collective_call.h"
#include "collective_regions.h"
#include "fill.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

// The side that counts on every rank: what it gives, or where that is already in place, what it gets.
Payload given_payload(const void* sendbuf, int count, MPI_Datatype type, int other_count,
                      MPI_Datatype other_type) {
  return sendbuf == MPI_IN_PLACE ? payload_of(other_type, other_count) : payload_of(type, count);
}

Payload sum_payload(MPI_Datatype type, const int* counts, MPI_Comm communicator) {
  return payload_of(type, sum_of(counts, communicator));
}

LOCKSTEP_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), Collective{LOCKSTEP_OPERATION_Barrier})

LOCKSTEP_COLLECTIVE(Bcast, Ibcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
                    (buffer, count, type, root, comm),
                    Collective{LOCKSTEP_OPERATION_Broadcast, payload_of(type, count), LOCKSTEP_REDUCE_OP_None,
                               root, is_root(comm, root) ? plain(buffer, type, count) : Region{},
                               plain(buffer, type, count)})

LOCKSTEP_COLLECTIVE(Reduce, Ireduce,
                    (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                     MPI_Comm comm),
                    (send, receive, count, type, op, root, comm),
                    Collective{LOCKSTEP_OPERATION_Reduce, payload_of(type, count), reduce_op_of(op), root,
                               plain(given_buffer(send, receive), type, count),
                               is_root(comm, root) ? plain(receive, type, count) : Region{}})

// Every rank gets a result of everybody's values.
#define LOCKSTEP_REDUCTION_TO_ALL(name, iname, operation)                                        \
  LOCKSTEP_COLLECTIVE(                                                                           \
      name, iname,                                                                               \
      (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
      (send, receive, count, type, op, comm),                                                    \
      Collective{operation, payload_of(type, count), reduce_op_of(op), kNoRoot,                  \
                 plain(given_buffer(send, receive), type, count), plain(receive, type, count)})
LOCKSTEP_REDUCTION_TO_ALL(Allreduce, Iallreduce, LOCKSTEP_OPERATION_AllReduce)
LOCKSTEP_REDUCTION_TO_ALL(Scan, Iscan, LOCKSTEP_OPERATION_Scan)
LOCKSTEP_REDUCTION_TO_ALL(Exscan, Iexscan, LOCKSTEP_OPERATION_Scan)
#undef LOCKSTEP_REDUCTION_TO_ALL

LOCKSTEP_COLLECTIVE(
    Gather, Igather,
    (const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
     MPI_Datatype receive_type, int root, MPI_Comm comm),
    (send, send_count, send_type, receive, receive_count, receive_type, root, comm),
    Collective{LOCKSTEP_OPERATION_Gather,
               given_payload(send, send_count, send_type, receive_count, receive_type),
               LOCKSTEP_REDUCE_OP_None, root,
               given_to_gather(send, send_count, send_type, receive, receive_count, receive_type, comm),
               is_root(comm, root) ? of_all(receive, receive_type, receive_count, comm) : Region{}})

LOCKSTEP_COLLECTIVE(
    Gatherv, Igatherv,
    (const void* send, int send_count, MPI_Datatype send_type, void* receive, const int* receive_counts,
     const int* offsets, MPI_Datatype receive_type, int root, MPI_Comm comm),
    (send, send_count, send_type, receive, receive_counts, offsets, receive_type, root, comm),
    Collective{LOCKSTEP_OPERATION_Gather, kUneven, LOCKSTEP_REDUCE_OP_None, root,
               send == MPI_IN_PLACE ? own_block(receive, receive_type, receive_counts, offsets, comm)
                                    : plain(send, send_type, send_count),
               is_root(comm, root) ? blocks_of(receive, receive_type, receive_counts, offsets, size_of(comm))
                                   : Region{}})

LOCKSTEP_COLLECTIVE(Scatter, Iscatter,
                    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                     int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm),
                    (send, send_count, send_type, receive, receive_count, receive_type, root, comm),
                    Collective{LOCKSTEP_OPERATION_Scatter,
                               given_payload(receive, receive_count, receive_type, send_count, send_type),
                               LOCKSTEP_REDUCE_OP_None, root,
                               is_root(comm, root) ? of_all(send, send_type, send_count, comm) : Region{},
                               received(receive, receive_type, receive_count)})

LOCKSTEP_COLLECTIVE(Scatterv, Iscatterv,
                    (const void* send, const int* send_counts, const int* offsets, MPI_Datatype send_type,
                     void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm),
                    (send, send_counts, offsets, send_type, receive, receive_count, receive_type, root, comm),
                    Collective{LOCKSTEP_OPERATION_Scatter, kUneven, LOCKSTEP_REDUCE_OP_None, root,
                               is_root(comm, root)
                                   ? blocks_of(send, send_type, send_counts, offsets, size_of(comm))
                                   : Region{},
                               received(receive, receive_type, receive_count)})

LOCKSTEP_COLLECTIVE(Allgather, Iallgather,
                    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                     int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_count, send_type, receive, receive_count, receive_type, comm),
                    Collective{LOCKSTEP_OPERATION_AllGather,
                               given_payload(send, send_count, send_type, receive_count, receive_type),
                               LOCKSTEP_REDUCE_OP_None, kNoRoot,
                               given_to_gather(send, send_count, send_type, receive, receive_count,
                                               receive_type, comm),
                               of_all(receive, receive_type, receive_count, comm)})

LOCKSTEP_COLLECTIVE(Allgatherv, Iallgatherv,
                    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                     const int* receive_counts, const int* offsets, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_count, send_type, receive, receive_counts, offsets, receive_type, comm),
                    Collective{LOCKSTEP_OPERATION_AllGather, kUneven, LOCKSTEP_REDUCE_OP_None, kNoRoot,
                               send == MPI_IN_PLACE
                                   ? own_block(receive, receive_type, receive_counts, offsets, comm)
                                   : plain(send, send_type, send_count),
                               blocks_of(receive, receive_type, receive_counts, offsets, size_of(comm))})

LOCKSTEP_COLLECTIVE(Alltoall, Ialltoall,
                    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                     int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_count, send_type, receive, receive_count, receive_type, comm),
                    Collective{LOCKSTEP_OPERATION_AllToAll,
                               given_payload(send, send_count, send_type, receive_count, receive_type),
                               LOCKSTEP_REDUCE_OP_None, kNoRoot,
                               send == MPI_IN_PLACE ? of_all(receive, receive_type, receive_count, comm)
                                                    : of_all(send, send_type, send_count, comm),
                               of_all(receive, receive_type, receive_count, comm)})

LOCKSTEP_COLLECTIVE(Alltoallv, Ialltoallv,
                    (const void* send, const int* send_counts, const int* send_offsets,
                     MPI_Datatype send_type, void* receive, const int* receive_counts,
                     const int* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm),
                    (send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
                     receive_type, comm),
                    Collective{
                        LOCKSTEP_OPERATION_AllToAll, kUneven, LOCKSTEP_REDUCE_OP_None, kNoRoot,
                        send == MPI_IN_PLACE
                            ? blocks_of(receive, receive_type, receive_counts, receive_offsets, size_of(comm))
                            : blocks_of(send, send_type, send_counts, send_offsets, size_of(comm)),
                        blocks_of(receive, receive_type, receive_counts, receive_offsets, size_of(comm))})

LOCKSTEP_COLLECTIVE(
    Alltoallw, Ialltoallw,
    (const void* send, const int* send_counts, const int* send_offsets, const MPI_Datatype* send_types,
     void* receive, const int* receive_counts, const int* receive_offsets, const MPI_Datatype* receive_types,
     MPI_Comm comm),
    (send, send_counts, send_offsets, send_types, receive, receive_counts, receive_offsets, receive_types,
     comm),
    Collective{LOCKSTEP_OPERATION_AllToAll, kUneven, LOCKSTEP_REDUCE_OP_None, kNoRoot,
               send == MPI_IN_PLACE
                   ? blocks_of(receive, receive_types, receive_counts, receive_offsets, size_of(comm))
                   : blocks_of(send, send_types, send_counts, send_offsets, size_of(comm)),
               blocks_of(receive, receive_types, receive_counts, receive_offsets, size_of(comm))})

LOCKSTEP_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                    (const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm),
                    (send, receive, counts, type, op, comm),
                    Collective{LOCKSTEP_OPERATION_ReduceScatter, sum_payload(type, counts, comm),
                               reduce_op_of(op), kNoRoot,
                               plain(given_buffer(send, receive), type, sum_of(counts, comm)),
                               plain(receive, type, counts[rank_in(comm)])})

LOCKSTEP_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
                    (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                    (send, receive, count, type, op, comm),
                    Collective{LOCKSTEP_OPERATION_ReduceScatter, payload_of(type, count), reduce_op_of(op),
                               kNoRoot, of_all(given_buffer(send, receive), type, count, comm),
                               plain(receive, type, count)})

}  // namespace

void fill_collectives(AnyFunction* table) {
  LOCKSTEP_FILL(Barrier)
  LOCKSTEP_FILL(Bcast)
  LOCKSTEP_FILL(Reduce)
  LOCKSTEP_FILL(Allreduce)
  LOCKSTEP_FILL(Gather)
  LOCKSTEP_FILL(Gatherv)
  LOCKSTEP_FILL(Scatter)
  LOCKSTEP_FILL(Scatterv)
  LOCKSTEP_FILL(Allgather)
  LOCKSTEP_FILL(Allgatherv)
  LOCKSTEP_FILL(Alltoall)
  LOCKSTEP_FILL(Alltoallv)
  LOCKSTEP_FILL(Alltoallw)
  LOCKSTEP_FILL(Reduce_scatter)
  LOCKSTEP_FILL(Reduce_scatter_block)
  LOCKSTEP_FILL(Scan)
  LOCKSTEP_FILL(Exscan)
  LOCKSTEP_FILL(Ibarrier)
  LOCKSTEP_FILL(Ibcast)
  LOCKSTEP_FILL(Ireduce)
  LOCKSTEP_FILL(Iallreduce)
  LOCKSTEP_FILL(Igather)
  LOCKSTEP_FILL(Igatherv)
  LOCKSTEP_FILL(Iscatter)
  LOCKSTEP_FILL(Iscatterv)
  LOCKSTEP_FILL(Iallgather)
  LOCKSTEP_FILL(Iallgatherv)
  LOCKSTEP_FILL(Ialltoall)
  LOCKSTEP_FILL(Ialltoallv)
  LOCKSTEP_FILL(Ialltoallw)
  LOCKSTEP_FILL(Ireduce_scatter)
  LOCKSTEP_FILL(Ireduce_scatter_block)
  LOCKSTEP_FILL(Iscan)
  LOCKSTEP_FILL(Iexscan)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
