// What NCCL tells a profiler plugin, whichever version of the interface it speaks. Used where calls do not
// reach the shim: a program that NCCL is linked into.
//
// NCCL says when a call is put into a kernel, and, from version 3 of the interface on, when each channel of
// the kernel begins and ends on the device. Before that a call's end cannot be known, and nobody is told to
// wait.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::adapters::nccl::profiler {

// Kinds of events, as bits of the mask by which a plugin chooses.
enum Kind : std::uint64_t {
  kCollective = 1 << 1,
  kMessage = 1 << 2,
  kKernelChannel = 1 << 6,
  kCollectiveApi = 1 << 9,
  kMessageApi = 1 << 10,
};
constexpr int kCallsOnly = kCollective | kMessage;
constexpr int kCallsAndChannels = kCallsOnly | kKernelChannel;

struct Identity {
  std::uint64_t hash;
  int size;  // 0: not known
  int rank;
  const char* name;  // the program's own; null: none
};

// A communicator that is recorded, from its init to its finalize; null: it is not. `mask` is where NCCL looks
// for what is wanted, and is left alone then.
void* open(int version, const Identity& identity, int* mask, int wanted);

// Versions 1 to 3 do not say who the communicator is: the first call does.
void* open_unknown(int version, int* mask, int wanted);
void close(void* context);

struct Call {
  std::uint8_t operation;
  std::uint8_t data_type;
  std::uint64_t bytes;
  int peer;                // root or partner; -1: none
  std::uint32_t channels;  // how many parts of the kernel do it
  bool is_captured;        // its graph is being launched
  bool can_end;            // NCCL will say when it ends
};
// A handle for NCCL; null: not recorded.
void* begin_call(void* context, const Call& call);
void* begin_first_call(void* context, const Identity& identity, const Call& call);
void* begin_channel(void* call);

// NCCL's word for a call that is captured into a graph: what is launched later comes with it.
void* captured_mark();

void stop(void* handle);

}  // namespace lockstep::adapters::nccl::profiler
