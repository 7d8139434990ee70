// Receives, whether they block or not.
//
// The count of a receive is only the most it takes, so no size is told for receives: a shorter message is no
// fault.
#pragma once

#include "kept.h"
#include "requests.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

struct Message {
  const void* buffer;
  int count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm communicator;
};

inline bool is_wildcard(const Message& message) {
  return message.peer == MPI_ANY_SOURCE || message.tag == MPI_ANY_TAG;
}

inline lockstep_call_facts receive_facts(Function function, const Message& message) {
  if (!is_wildcard(message)) {
    return message_facts(function, LOCKSTEP_OPERATION_Receive, message.communicator, {}, message.peer,
                         message.tag);
  }
  return collective_facts(function, LOCKSTEP_OPERATION_Receive, message.communicator, {},
                          LOCKSTEP_REDUCE_OP_None, kNoRoot);
}

inline Region region_of(const Message& message) {
  return plain(message.buffer, message.type, message.count);
}

// Nobody is on the other side of MPI_PROC_NULL: the call does nothing.
inline bool is_told(const Message& message) {
  return message.peer != MPI_PROC_NULL && lockstep_is_recording() != 0;
}

inline Pending pending_receive(Function function, const Message& message) {
  Pending pending{};
  pending.facts = receive_facts(function, message);
  pending.communicator = message.communicator;
  pending.is_wildcard = is_wildcard(message);
  pending.begin_ns = lockstep_now_ns();
  pending.got = region_of(message);
  pending.is_receive = true;
  return pending;
}

// An issued send or receive whose end a later call will see.
template <typename Call>
int issue(Pending pending, MPI_Request* request, Call call) {
  pending.facts.flags = kPosted;
  lockstep_begin_call(&pending.facts, &pending.ticket);
  keep_given(pending.ticket, pending.given);
  return keep_or_finish(is_solo() ? make_solo_request(request) : call(), request, pending);
}

// The receiving half of a call that blocks: begun, then ended with what the status says.
class BlockingReceive {
 public:
  BlockingReceive(Function function, const Message& message) : pending_(pending_receive(function, message)) {
    lockstep_begin_call(&pending_.facts, &pending_.ticket);
    keep_given(pending_.ticket, {});
  }
  // Where MPI is to put the status: the caller's place, or ours when he does not care and we do.
  MPI_Status* status(MPI_Status* callers) {
    status_ = callers == MPI_STATUS_IGNORE ? &own_status_ : callers;
    return pending_.is_wildcard || keeps_payload() ? status_ : callers;
  }
  // In a replay, instead of the call.
  int serve(MPI_Status* callers) {
    serve_received(pending_.ticket, pending_.got, status(callers));
    return MPI_SUCCESS;
  }
  void end(int result) {
    finish(pending_.ticket, result);
    if (result == MPI_SUCCESS && keeps_payload()) keep_received(pending_.ticket, pending_.got, *status_);
    if (pending_.is_wildcard && result == MPI_SUCCESS) {
      tell_partner(pending_.facts, pending_.communicator, pending_.begin_ns, *status_);
    }
  }

 private:
  Pending pending_;
  MPI_Status own_status_;
  MPI_Status* status_ = nullptr;
};

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
