// NCCL 2.24: words for functions and types.
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
      const char* function;
      const void* send;
      void* receive;
      std::size_t count;
      int root;
      const char* type;
    } collective;
    struct {
      const char* name;
      std::uint64_t hash;
      const char* function;
      void* buffer;
      const char* type;
      std::size_t count;
      int peer;
    } message;
  };
};

Result init(void** context, int* mask) {
  *context = open_unknown(2, mask, kCallsOnly);
  return kSuccess;
}

Result start_event(void* context, void** handle, Descriptor* event) {
  *handle = nullptr;
  if (event->kind == kCollective) {
    const auto& part = event->collective;
    *handle =
        begin_first_call(context, {part.hash, 0, event->rank, part.name}, collective_of(part, 0, false));
  } else if (event->kind == kMessage) {
    const auto& part = event->message;
    *handle =
        begin_first_call(context, {part.hash, 0, event->rank, part.name}, call_of(part, part.peer, 0, false));
  }
  return kSuccess;
}

}  // namespace

LOCKSTEP_NCCL_PROFILER(2, InitOfV1)

}  // namespace lockstep::adapters::nccl::profiler
