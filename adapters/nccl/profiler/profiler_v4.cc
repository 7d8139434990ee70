// NCCL 2.27: the communicator is named once, at init.
#include "table.h"

namespace lockstep::adapters::nccl::profiler {
namespace {

struct Descriptor {
  std::uint8_t kind;
  void* parent;
  int rank;
  union {
    struct {
      std::uint64_t sequence;
      const char* function;
      const void* send;
      void* receive;
      std::size_t count;
      int root;
      const char* type;
      std::uint8_t channels;
    } collective;
    struct {
      const char* function;
      void* buffer;
      const char* type;
      std::size_t count;
      int peer;
      std::uint8_t channels;
    } message;
  };
};

Result init(void** context, int* mask, const char* name, std::uint64_t hash, int, int size, int rank, void*) {
  *context = open(4, {hash, size, rank, name}, mask, kCallsAndChannels);
  return kSuccess;
}

Result start_event(void* context, void** handle, Descriptor* event) {
  *handle = nullptr;
  if (event->kind == kCollective) {
    *handle = begin_call(context, collective_of(event->collective, event->collective.channels, true));
  } else if (event->kind == kMessage) {
    *handle =
        begin_call(context, call_of(event->message, event->message.peer, event->message.channels, true));
  } else if (event->kind == kKernelChannel) {
    *handle = begin_channel(event->parent);
  }
  return kSuccess;
}

}  // namespace

LOCKSTEP_NCCL_PROFILER(4, InitOfV4)

}  // namespace lockstep::adapters::nccl::profiler
