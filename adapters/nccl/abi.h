// NCCL's binary interface, as far as the adapter touches it: written down here, since a machine that builds
// Lockstep has no NCCL. Numbers and layouts are the same from NCCL 2.16 to 2.32.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::adapters::nccl {

using Communicator = struct NcclCommunicator*;  // ncclComm_t
using Stream = struct CudaStream*;              // cudaStream_t, which is CUstream
using Result = int;                             // ncclResult_t
using DataType = int;                           // ncclDataType_t
using ReduceOp = int;                           // ncclRedOp_t

constexpr Result kSuccess = 0;
constexpr Result kInternalError = 3;
constexpr Result kRemoteError = 6;
constexpr Result kInProgress = 7;
constexpr int kNoColor = -1;
constexpr int kShrinkAborts = 1;

// Passed by value.
struct UniqueId {
  char bytes[128];
};

// The beginning of ncclConfig_t; `size` tells how much of it the caller has.
struct Config {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
  int cga_cluster_size;
  int min_ctas;
  int max_ctas;
  const char* net_name;
  int split_share;
  int traffic_class;
  const char* name;
};

}  // namespace lockstep::adapters::nccl
