// Collectives. Each has a second form, with a configuration behind its arguments (NCCL 2.32).
#include "calls.h"
#include "library.h"
#include "words.h"
#include "wrapper.h"

namespace lockstep::adapters::nccl {

#define LOCKSTEP_UNPACK(...) __VA_ARGS__
#define LOCKSTEP_COLLECTIVE(name, PARAMETERS, ARGUMENTS, ...)                                          \
  LOCKSTEP_NCCL_WRAPPER(name, LOCKSTEP_UNPACK PARAMETERS) {                                            \
    return issue(k##name, __VA_ARGS__, communicator, stream,                                           \
                 [&] { return LOCKSTEP_NCCL_REAL(name, LOCKSTEP_UNPACK ARGUMENTS); });                 \
  }                                                                                                    \
  LOCKSTEP_NCCL_WRAPPER(name##Config, LOCKSTEP_UNPACK PARAMETERS, const void* config) {                \
    return issue(k##name##Config, __VA_ARGS__, communicator, stream,                                   \
                 [&] { return LOCKSTEP_NCCL_REAL(name##Config, LOCKSTEP_UNPACK ARGUMENTS, config); }); \
  }

LOCKSTEP_COLLECTIVE(AllReduce,
                    (const void* send, void* receive, std::size_t count, DataType type, ReduceOp op,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, op, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_AllReduce, count, type, reduce_op_of(op)})

LOCKSTEP_COLLECTIVE(Broadcast,
                    (const void* send, void* receive, std::size_t count, DataType type, int root,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, root, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_Broadcast, count, type, LOCKSTEP_REDUCE_OP_None, root})

LOCKSTEP_COLLECTIVE(Reduce,
                    (const void* send, void* receive, std::size_t count, DataType type, ReduceOp op, int root,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, op, root, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_Reduce, count, type, reduce_op_of(op), root})

LOCKSTEP_COLLECTIVE(AllGather,
                    (const void* send, void* receive, std::size_t count, DataType type,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_AllGather, count, type})

LOCKSTEP_COLLECTIVE(ReduceScatter,
                    (const void* send, void* receive, std::size_t count, DataType type, ReduceOp op,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, op, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_ReduceScatter, count, type, reduce_op_of(op)})

LOCKSTEP_COLLECTIVE(AlltoAll,
                    (const void* send, void* receive, std::size_t count, DataType type,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_AllToAll, count, type})

LOCKSTEP_COLLECTIVE(Gather,
                    (const void* send, void* receive, std::size_t count, DataType type, int root,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, root, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_Gather, count, type, LOCKSTEP_REDUCE_OP_None, root})

LOCKSTEP_COLLECTIVE(Scatter,
                    (const void* send, void* receive, std::size_t count, DataType type, int root,
                     Communicator communicator, Stream stream),
                    (send, receive, count, type, root, communicator, stream),
                    Operation{LOCKSTEP_OPERATION_Scatter, count, type, LOCKSTEP_REDUCE_OP_None, root})

// The old form of a broadcast, in place.
LOCKSTEP_NCCL_WRAPPER(Bcast, void* buffer, std::size_t count, DataType type, int root,
                      Communicator communicator, Stream stream) {
  return issue(kBcast, Operation{LOCKSTEP_OPERATION_Broadcast, count, type, LOCKSTEP_REDUCE_OP_None, root},
               communicator, stream,
               [&] { return LOCKSTEP_NCCL_REAL(Bcast, buffer, count, type, root, communicator, stream); });
}

}  // namespace lockstep::adapters::nccl
