#include "calls.h"

#include <atomic>
#include <string.h>

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

std::atomic<std::uint32_t> names[kFunctionCount];

}  // namespace

Real real;

std::uint32_t name_id(Function function) {
  std::uint32_t id = names[function].load(std::memory_order_relaxed);
  if (id == 0) {
    const char* name = name_of(function);
    id = lockstep_intern_string(name, ::strlen(name));
    names[function].store(id, std::memory_order_relaxed);
  }
  return id;
}

std::uint32_t error_id(int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  if (real.Error_string(code, text, &length) != MPI_SUCCESS || length <= 0) return 0;
  return lockstep_intern_string(text, static_cast<std::size_t>(length));
}

lockstep_call_facts message_facts(Function function, std::uint8_t operation, MPI_Comm communicator,
                                  Payload payload, int peer, int tag) {
  const std::uint32_t channel = channel_id(communicator, tag);
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = channel != 0 ? channel : communicator_id(communicator);
  facts.operation = operation;
  facts.data_type = payload.data_type;
  facts.payload_bytes = payload.bytes;
  facts.peer = channel != 0 ? peer : -1;
  facts.name = name_id(function);
  return facts;
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
