// NCCL 2.23: small numbers for functions and types, the communicator in each event, nothing of the kernel.
#include "table.h"

namespace lockstep::adapters::nccl::profiler {
namespace {

struct Descriptor {
  std::uint8_t kind;
  void* parent;
  int rank;
  union {
    struct {
      const char* name;
      std::uint64_t hash;
      std::uint64_t sequence;
      std::uint8_t function;
      const void* send;
      void* receive;
      std::size_t count;
      int root;
      std::uint8_t type;
      std::uint32_t op;
    } collective;
    struct {
      const char* name;
      std::uint64_t hash;
      std::uint8_t function;
      void* buffer;
      std::uint8_t type;
      std::size_t count;
      int peer;
    } message;
  };
};

Result init(void** context, int* mask) {
  *context = open_unknown(1, mask, kCallsOnly);
  return kSuccess;
}

// Numbers, where later versions have words.
template <typename Part>
Call numbered_call(const Part& part, int peer) {
  const std::uint8_t type = data_type_of(DataType{part.type});
  return {operation_of(unsigned{part.function}), type, part.count * bytes_of(type), peer, 0, false, false};
}

Result start_event(void* context, void** handle, Descriptor* event) {
  *handle = nullptr;
  if (event->kind == kCollective) {
    const auto& part = event->collective;
    Call call = numbered_call(part, -1);
    call.peer = root_of(call.operation, part.root);
    *handle = begin_first_call(context, {part.hash, 0, event->rank, part.name}, call);
  } else if (event->kind == kMessage) {
    const auto& part = event->message;
    *handle =
        begin_first_call(context, {part.hash, 0, event->rank, part.name}, numbered_call(part, part.peer));
  }
  return kSuccess;
}

}  // namespace

LOCKSTEP_NCCL_PROFILER(1, InitOfV1)

}  // namespace lockstep::adapters::nccl::profiler
