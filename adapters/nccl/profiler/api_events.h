// Versions 5 to 7: the program's calls are events of their own, parents of the collectives and messages; they
// know whether a graph is being captured. What differs between the three lies behind what is read here, or in
// kinds of events that are not asked for.
#pragma once

#include "table.h"

namespace lockstep::adapters::nccl::profiler {

struct ApiDescriptor {
  std::uint64_t kind;
  void* parent;
  int rank;
  union {
    struct {
      const char* function;
      std::size_t count;
      const char* type;
      int root;
      void* stream;
      bool is_captured;
    } collective_api;
    struct {
      const char* function;
      std::size_t count;
      const char* type;
      void* stream;
      bool is_captured;
    } message_api;
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

inline void* handle_of(void* context, const ApiDescriptor& event) {
  Call call{};
  switch (event.kind) {
    case kCollectiveApi:
      return event.collective_api.is_captured ? captured_mark() : nullptr;
    case kMessageApi:
      return event.message_api.is_captured ? captured_mark() : nullptr;
    case kCollective:
      call = collective_of(event.collective, event.collective.channels, true);
      break;
    case kMessage:
      call = call_of(event.message, event.message.peer, event.message.channels, true);
      break;
    case kKernelChannel:
      return begin_channel(event.parent);
    default:
      return nullptr;
  }
  call.is_captured = event.parent == captured_mark();
  return begin_call(context, call);
}

}  // namespace lockstep::adapters::nccl::profiler
