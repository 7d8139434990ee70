// The shape that all versions of NCCL's profiler interface share: a table of functions under the name
// ncclProfiler_v<version>. NCCL takes the newest that it and the plugin know.
#pragma once

#include "lockstep/recorder.h"

#include "adapters/nccl/abi.h"
#include "adapters/nccl/words.h"
#include "events.h"

namespace lockstep::adapters::nccl::profiler {

template <typename Init, typename Descriptor>
struct Table {
  const char* name;
  Init init;
  Result (*start_event)(void* context, void** handle, Descriptor* descriptor);
  Result (*stop_event)(void* handle);
  Result (*record_state)(void* handle, int state, void* arguments);
  Result (*finalize)(void* context);
};

using InitOfV1 = Result (*)(void** context, int* mask);
using InitOfV4 = Result (*)(void** context, int* mask, const char* name, std::uint64_t hash, int node_count,
                            int size, int rank, void* log);
using InitOfV5 = Result (*)(void** context, std::uint64_t hash, int* mask, const char* name, int node_count,
                            int size, int rank, void* log);

inline Result stop_event(void* handle) {
  stop(handle);
  return kSuccess;
}
inline Result ignore_state(void*, int, void*) {
  return kSuccess;
}
inline Result finalize(void* context) {
  close(context);
  return kSuccess;
}

// Only rooted operations have a root that means something.
inline int root_of(std::uint8_t operation, int root) {
  switch (operation) {
    case LOCKSTEP_OPERATION_Broadcast:
    case LOCKSTEP_OPERATION_Reduce:
    case LOCKSTEP_OPERATION_Gather:
    case LOCKSTEP_OPERATION_Scatter:
      return root;
    default:
      return -1;
  }
}

// A descriptor's collective or message, whose members have the same names in all versions.
template <typename Part>
Call call_of(const Part& part, int peer, std::uint32_t channels, bool can_end) {
  const std::uint8_t type = data_type_of(part.type);
  return {operation_of(part.function), type, part.count * bytes_of(type), peer, channels, false, can_end};
}
template <typename Part>
Call collective_of(const Part& part, std::uint32_t channels, bool can_end) {
  Call call = call_of(part, -1, channels, can_end);
  call.peer = root_of(call.operation, part.root);
  return call;
}

}  // namespace lockstep::adapters::nccl::profiler

#define LOCKSTEP_NCCL_PROFILER(version, Init)                                    \
  extern "C" LOCKSTEP_API const Table<Init, Descriptor> ncclProfiler_v##version; \
  const Table<Init, Descriptor> ncclProfiler_v##version = {                      \
      "Lockstep", init, start_event, stop_event, ignore_state, finalize,         \
  };
