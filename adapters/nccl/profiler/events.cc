#include "events.h"

#include <atomic>
#include <stdio.h>

#include "lockstep/recorder.h"

#include "adapters/nccl/activation.h"
#include "adapters/nccl/communicators.h"

namespace lockstep::adapters::nccl::profiler {
namespace {

constexpr std::size_t kMostContexts = 4096;
struct Context {
  std::atomic<bool> is_taken;
  std::atomic<std::uint32_t> communicator;  // id; 0: not known yet
};
Context contexts[kMostContexts];

// A place is used again after so many calls, whether its call has ended or not: NCCL may speak of a call
// after it stopped it.
constexpr std::uint64_t kSlots = 1 << 15;
struct Slot {
  lockstep_ticket ticket;
  std::uint32_t channels;
  bool is_message;
  std::atomic<std::uint32_t> started;
  std::atomic<std::uint32_t> stopped;
  std::atomic<bool> is_over;
};
alignas(16) Slot slots[kSlots];
std::atomic<std::uint64_t> next_slot;

alignas(16) char captured;

// A handle of a channel is that of its call, made odd.
void* channel_of(void* call) {
  return static_cast<char*>(call) + 1;
}
Slot* slot_of_channel(void* handle) {
  if ((reinterpret_cast<std::uintptr_t>(handle) & 1) == 0) return nullptr;
  return static_cast<Slot*>(static_cast<void*>(static_cast<char*>(handle) - 1));
}

Context* take_context() {
  for (Context& context : contexts) {
    if (!context.is_taken.exchange(true, std::memory_order_acquire)) return &context;
  }
  return nullptr;
}

void tell_version(int version) {
  char text[16];
  const int length = ::snprintf(text, sizeof text, "v%d", version);
  lockstep_set_attribute("nccl profiler", 13, text, static_cast<std::size_t>(length));
}

void begin(lockstep_call_facts& facts, lockstep_ticket& ticket, std::uint32_t communicator) {
  facts.size = sizeof facts;
  facts.communicator = communicator;
  lockstep_begin_call(&facts, &ticket);
}

// The shim's communicators begin with their making too: here it is over when NCCL tells of it.
void define(Context& context, const Identity& identity) {
  const Name name = name_of_hash(identity.hash);
  const std::uint32_t id = define_communicator({name, identity.size, identity.rank, identity.name});
  lockstep_call_facts facts{};
  lockstep_ticket ticket;
  facts.operation = LOCKSTEP_OPERATION_CreateCommunicator;
  facts.peer = -1;
  begin(facts, ticket, id);
  lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
  context.communicator.store(id, std::memory_order_relaxed);
}

Context* open_context(int version, int rank, int size, int* mask, int wanted) {
  if (has_shim() || !begin_recording(rank, size)) return nullptr;
  Context* context = take_context();
  if (context == nullptr) return nullptr;
  context->communicator.store(0, std::memory_order_relaxed);
  tell_version(version);
  *mask = wanted;
  return context;
}

void end_if_whole(Slot& slot, std::uint32_t stopped) {
  const std::uint32_t whole = slot.is_message ? slot.started.load() : (slot.channels > 0 ? slot.channels : 1);
  if (stopped < whole || slot.is_over.exchange(true)) return;
  lockstep_mark_call(&slot.ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
}

}  // namespace

void* open(int version, const Identity& identity, int* mask, int wanted) {
  Context* context = open_context(version, identity.rank, identity.size, mask, wanted);
  if (context != nullptr) define(*context, identity);
  return context;
}

void* open_unknown(int version, int* mask, int wanted) {
  return open_context(version, -1, -1, mask, wanted);
}

void close(void* context) {
  if (context != nullptr) static_cast<Context*>(context)->is_taken.store(false, std::memory_order_release);
}

void* begin_call(void* context, const Call& call) {
  if (context == nullptr) return nullptr;
  const std::uint32_t communicator =
      static_cast<Context*>(context)->communicator.load(std::memory_order_relaxed);
  if (communicator == 0) return nullptr;
  Slot& slot = slots[next_slot.fetch_add(1, std::memory_order_relaxed) % kSlots];
  slot.channels = call.channels;
  slot.is_message = call.operation == LOCKSTEP_OPERATION_Send || call.operation == LOCKSTEP_OPERATION_Receive;
  slot.started.store(0, std::memory_order_relaxed);
  slot.stopped.store(0, std::memory_order_relaxed);
  slot.is_over.store(false, std::memory_order_relaxed);
  lockstep_call_facts facts{};
  facts.operation = call.operation;
  facts.data_type = call.data_type;
  facts.payload_bytes = call.bytes;
  facts.peer = call.peer;
  facts.flags = LOCKSTEP_CALL_ASYNC;
  // How many channels a message has, NCCL counts differently from version to version.
  if (!call.can_end || slot.is_message) facts.flags |= LOCKSTEP_CALL_POSTED;
  if (call.is_captured) facts.flags |= LOCKSTEP_CALL_CAPTURED;
  begin(facts, slot.ticket, communicator);
  return &slot;
}

void* begin_first_call(void* context, const Identity& identity, const Call& call) {
  if (context == nullptr) return nullptr;
  auto* known = static_cast<Context*>(context);
  if (known->communicator.load(std::memory_order_relaxed) == 0) define(*known, identity);
  return begin_call(context, call);
}

void* begin_channel(void* call) {
  if (call == nullptr || call == &captured) return nullptr;
  auto* slot = static_cast<Slot*>(call);
  if (slot->started.fetch_add(1) == 0 && slot->is_message) {
    lockstep_mark_call(&slot->ticket, LOCKSTEP_DONE_STARTED, 0, 0);
  }
  return channel_of(call);
}

void* captured_mark() {
  return &captured;
}

// That of a call only means that it is in a kernel.
void stop(void* handle) {
  if (handle == &captured) return;
  if (Slot* slot = slot_of_channel(handle)) end_if_whole(*slot, slot->stopped.fetch_add(1) + 1);
}

}  // namespace lockstep::adapters::nccl::profiler
