// One MPI call as the recorder sees it.
#pragma once

#include "lockstep/recorder.h"

#include "abi.h"
#include "communicators.h"
#include "handles.h"
#include "payload.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

constexpr int kNoRoot = -1;

// The id of the function's name.
std::uint32_t name_id(Function function);

// The id of MPI's own text for an error.
std::uint32_t error_id(int code);

inline void finish(const lockstep_ticket& ticket, int result) {
  if (ticket.communicator == 0) return;
  if (result == MPI_SUCCESS) {
    lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
  } else {
    lockstep_mark_call(&ticket, LOCKSTEP_DONE_FAILED, error_id(result), 0);
  }
}

inline lockstep_call_facts collective_facts(Function function, std::uint8_t operation, MPI_Comm communicator,
                                            Payload payload, std::uint8_t reduce_op, int root) {
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = communicator_id(communicator);
  facts.operation = operation;
  facts.reduce_op = reduce_op;
  facts.data_type = payload.data_type;
  facts.payload_bytes = payload.bytes;
  facts.peer = root;
  facts.name = name_id(function);
  return facts;
}

// A send or a receive with a known partner and tag. With too many tags it is recorded without its partner:
// then it is compared with nothing.
lockstep_call_facts message_facts(Function function, std::uint8_t operation, MPI_Comm communicator,
                                  Payload payload, int peer, int tag);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
