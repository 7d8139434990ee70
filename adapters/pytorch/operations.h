// What each c10d operation means, by its name: the same from 1.13 to today, while signatures move. In all of
// them the tensors come first, outputs before inputs; then the group, a reduction, and the root or peer.
#pragma once

#include <cstdint>
#include <cstring>

#include "lockstep/recorder.h"

namespace lockstep::pytorch {

enum class Tensors : std::uint8_t { kNone, kInPlace, kOutputsThenInputs, kInputs, kOutputs };
enum class Partner : std::uint8_t { kNone, kRoot, kPeerAndTag, kTag };

struct Meaning {
  const char* name;
  std::uint8_t operation;
  Tensors tensors;
  Partner partner;
};

constexpr Meaning kMeanings[] = {
    {"allreduce_", LOCKSTEP_OPERATION_AllReduce, Tensors::kInPlace, Partner::kNone},
    {"allreduce_coalesced_", LOCKSTEP_OPERATION_AllReduce, Tensors::kInPlace, Partner::kNone},
    {"broadcast_", LOCKSTEP_OPERATION_Broadcast, Tensors::kInPlace, Partner::kRoot},
    {"reduce_", LOCKSTEP_OPERATION_Reduce, Tensors::kInPlace, Partner::kRoot},
    {"allgather_", LOCKSTEP_OPERATION_AllGather, Tensors::kOutputsThenInputs, Partner::kNone},
    {"_allgather_base_", LOCKSTEP_OPERATION_AllGather, Tensors::kOutputsThenInputs, Partner::kNone},
    {"allgather_coalesced_", LOCKSTEP_OPERATION_AllGather, Tensors::kOutputsThenInputs, Partner::kNone},
    {"allgather_into_tensor_coalesced_", LOCKSTEP_OPERATION_AllGather, Tensors::kOutputsThenInputs,
     Partner::kNone},
    {"gather_", LOCKSTEP_OPERATION_Gather, Tensors::kOutputsThenInputs, Partner::kRoot},
    {"gather_into_tensor_", LOCKSTEP_OPERATION_Gather, Tensors::kOutputsThenInputs, Partner::kRoot},
    {"scatter_", LOCKSTEP_OPERATION_Scatter, Tensors::kOutputsThenInputs, Partner::kRoot},
    {"reduce_scatter_", LOCKSTEP_OPERATION_ReduceScatter, Tensors::kOutputsThenInputs, Partner::kNone},
    {"_reduce_scatter_base_", LOCKSTEP_OPERATION_ReduceScatter, Tensors::kOutputsThenInputs, Partner::kNone},
    {"reduce_scatter_tensor_coalesced_", LOCKSTEP_OPERATION_ReduceScatter, Tensors::kOutputsThenInputs,
     Partner::kNone},
    {"alltoall_", LOCKSTEP_OPERATION_AllToAll, Tensors::kOutputsThenInputs, Partner::kNone},
    {"alltoall_base_", LOCKSTEP_OPERATION_AllToAll, Tensors::kOutputsThenInputs, Partner::kNone},
    {"barrier", LOCKSTEP_OPERATION_Barrier, Tensors::kNone, Partner::kNone},
    {"monitored_barrier_", LOCKSTEP_OPERATION_Barrier, Tensors::kNone, Partner::kNone},
    {"send", LOCKSTEP_OPERATION_Send, Tensors::kInputs, Partner::kPeerAndTag},
    {"recv_", LOCKSTEP_OPERATION_Receive, Tensors::kOutputs, Partner::kPeerAndTag},
    {"recv_any_source_", LOCKSTEP_OPERATION_Receive, Tensors::kOutputs, Partner::kTag},
};

// A name this table does not have is a collective of a newer PyTorch: recorded under its own name.
inline Meaning meaning_of(const char* name) {
  for (const Meaning& meaning : kMeanings) {
    if (std::strcmp(meaning.name, name) == 0) return meaning;
  }
  return {nullptr, LOCKSTEP_OPERATION_Unknown, Tensors::kInPlace, Partner::kNone};
}

}  // namespace lockstep::pytorch
