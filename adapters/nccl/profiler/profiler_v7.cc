// NCCL 2.31: tags of the program and phases of the kernel, which lie behind what is read.
#include "api_events.h"

namespace lockstep::adapters::nccl::profiler {
namespace {

using Descriptor = ApiDescriptor;

Result init(void** context, std::uint64_t hash, int* mask, const char* name, int, int size, int rank, void*) {
  *context = open(7, {hash, size, rank, name}, mask, kCallsAndChannels);
  return kSuccess;
}

Result start_event(void* context, void** handle, Descriptor* event) {
  *handle = handle_of(context, *event);
  return kSuccess;
}

}  // namespace

LOCKSTEP_NCCL_PROFILER(7, InitOfV5)

}  // namespace lockstep::adapters::nccl::profiler
