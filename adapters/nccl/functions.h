// The functions of NCCL that the adapter looks at, each by its type. All others go straight to NCCL.
#pragma once

#include "abi.h"

namespace lockstep::adapters::nccl {

// X(name without "nccl", parameters)
// clang-format off
#define LOCKSTEP_NCCL_FUNCTIONS(X)                                                                                    \
  X(AllReduce, (const void*, void*, std::size_t, DataType, ReduceOp, Communicator, Stream))                           \
  X(Broadcast, (const void*, void*, std::size_t, DataType, int, Communicator, Stream))                                \
  X(Bcast, (void*, std::size_t, DataType, int, Communicator, Stream))                                                 \
  X(Reduce, (const void*, void*, std::size_t, DataType, ReduceOp, int, Communicator, Stream))                         \
  X(AllGather, (const void*, void*, std::size_t, DataType, Communicator, Stream))                                     \
  X(ReduceScatter, (const void*, void*, std::size_t, DataType, ReduceOp, Communicator, Stream))                       \
  X(AlltoAll, (const void*, void*, std::size_t, DataType, Communicator, Stream))                                      \
  X(Gather, (const void*, void*, std::size_t, DataType, int, Communicator, Stream))                                   \
  X(Scatter, (const void*, void*, std::size_t, DataType, int, Communicator, Stream))                                  \
  X(AllReduceConfig, (const void*, void*, std::size_t, DataType, ReduceOp, Communicator, Stream, const void*))        \
  X(BroadcastConfig, (const void*, void*, std::size_t, DataType, int, Communicator, Stream, const void*))             \
  X(ReduceConfig, (const void*, void*, std::size_t, DataType, ReduceOp, int, Communicator, Stream, const void*))      \
  X(AllGatherConfig, (const void*, void*, std::size_t, DataType, Communicator, Stream, const void*))                  \
  X(ReduceScatterConfig, (const void*, void*, std::size_t, DataType, ReduceOp, Communicator, Stream, const void*))    \
  X(AlltoAllConfig, (const void*, void*, std::size_t, DataType, Communicator, Stream, const void*))                   \
  X(GatherConfig, (const void*, void*, std::size_t, DataType, int, Communicator, Stream, const void*))                \
  X(ScatterConfig, (const void*, void*, std::size_t, DataType, int, Communicator, Stream, const void*))               \
  X(Send, (const void*, std::size_t, DataType, int, Communicator, Stream))                                            \
  X(Recv, (void*, std::size_t, DataType, int, Communicator, Stream))                                                  \
  X(GroupStart, ())                                                                                                   \
  X(GroupEnd, ())                                                                                                     \
  X(GroupSimulateEnd, (void*))                                                                                        \
  X(CommInitRank, (Communicator*, int, UniqueId, int))                                                                \
  X(CommInitRankConfig, (Communicator*, int, UniqueId, int, Config*))                                                 \
  X(CommInitRankScalable, (Communicator*, int, int, int, UniqueId*, Config*))                                         \
  X(CommInitAll, (Communicator*, int, const int*))                                                                    \
  X(CommSplit, (Communicator, int, int, Communicator*, Config*))                                                      \
  X(CommShrink, (Communicator, int*, int, Communicator*, Config*, int))                                               \
  X(CommDestroy, (Communicator))                                                                                      \
  X(CommAbort, (Communicator))                                                                                        \
  X(CommRevoke, (Communicator, int))                                                                                  \
  X(CommGetAsyncError, (Communicator, Result*))

// What the adapter itself asks NCCL.
#define LOCKSTEP_NCCL_QUESTIONS(X)          \
  X(GetVersion, (int*))                     \
  X(CommCount, (Communicator, int*))        \
  X(CommUserRank, (Communicator, int*))
// clang-format on

enum Function : unsigned {
#define LOCKSTEP_NCCL_NUMBER(name, parameters) k##name,
  LOCKSTEP_NCCL_FUNCTIONS(LOCKSTEP_NCCL_NUMBER)
#undef LOCKSTEP_NCCL_NUMBER
      kFunctionCount
};

const char* name_of(Function function);  // "ncclAllReduce"

// The id of that name in this recording.
std::uint32_t name_id(Function function);

}  // namespace lockstep::adapters::nccl
