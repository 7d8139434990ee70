// Sends and receives.
//
// The count of a receive is only the most it takes, so no size is told for receives: a shorter message is no
// fault.
#include "fill.h"
#include "kept.h"
#include "requests.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

struct Message {
  const void* buffer;
  int count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm communicator;
};

bool is_wildcard(const Message& message) {
  return message.peer == MPI_ANY_SOURCE || message.tag == MPI_ANY_TAG;
}

lockstep_call_facts send_facts(Function function, const Message& message) {
  return message_facts(function, LOCKSTEP_OPERATION_Send, message.communicator,
                       payload_of(message.type, message.count), message.peer, message.tag);
}

lockstep_call_facts receive_facts(Function function, const Message& message) {
  if (!is_wildcard(message)) {
    return message_facts(function, LOCKSTEP_OPERATION_Receive, message.communicator, {}, message.peer,
                         message.tag);
  }
  return collective_facts(function, LOCKSTEP_OPERATION_Receive, message.communicator, {},
                          LOCKSTEP_REDUCE_OP_None, kNoRoot);
}

Region region_of(const Message& message) {
  return plain(message.buffer, message.type, message.count);
}

// Nobody is on the other side of MPI_PROC_NULL: the call does nothing.
bool is_told(const Message& message) {
  return message.peer != MPI_PROC_NULL && lockstep_is_recording() != 0;
}

Pending pending_receive(Function function, const Message& message) {
  Pending pending{};
  pending.facts = receive_facts(function, message);
  pending.communicator = message.communicator;
  pending.is_wildcard = is_wildcard(message);
  pending.begin_ns = lockstep_now_ns();
  pending.got = region_of(message);
  pending.is_receive = true;
  return pending;
}

template <typename Call>
int blocking_send(Function function, const Message& message, Call call) {
  if (!is_told(message)) return call();
  const lockstep_call_facts facts = send_facts(function, message);
  lockstep_ticket ticket;
  lockstep_begin_call(&facts, &ticket);
  keep_given(ticket, region_of(message));
  const int result = is_solo() ? MPI_SUCCESS : call();
  finish(ticket, result);
  if (result == MPI_SUCCESS) keep_got(ticket, {});
  return result;
}

// An issued send or receive whose end a later call will see.
template <typename Call>
int issue(Pending pending, MPI_Request* request, Call call) {
  pending.facts.flags = kPosted;
  lockstep_begin_call(&pending.facts, &pending.ticket);
  keep_given(pending.ticket, pending.given);
  return keep_or_finish(is_solo() ? make_solo_request(request) : call(), request, pending);
}

template <typename Call>
int non_blocking_send(Function function, const Message& message, MPI_Request* request, Call call) {
  if (!is_told(message)) return call();
  Pending pending{};
  pending.facts = send_facts(function, message);
  pending.given = region_of(message);
  return issue(pending, request, call);
}

template <typename Call>
int prepare(Pending pending, MPI_Request* request, Call call) {
  pending.is_persistent = true;
  pending.facts.flags = kPosted;
  const int result = is_solo() ? make_solo_request(request) : call();
  if (result == MPI_SUCCESS) add_request(*request, pending);
  return result;
}

template <typename Call>
int persistent_send(Function function, const Message& message, MPI_Request* request, Call call) {
  if (!is_told(message)) return call();
  Pending pending{};
  pending.facts = send_facts(function, message);
  pending.given = region_of(message);
  return prepare(pending, request, call);
}

#define LOCKSTEP_SEND(name)                                                                             \
  int wrap_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) { \
    return blocking_send(k##name, {buffer, count, type, peer, tag, comm},                               \
                         [&] { return real.name(buffer, count, type, peer, tag, comm); });              \
  }
#define LOCKSTEP_ISSUED_SEND(name, way)                                                               \
  int wrap_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                  MPI_Request* request) {                                                             \
    return way(k##name, {buffer, count, type, peer, tag, comm}, request,                              \
               [&] { return real.name(buffer, count, type, peer, tag, comm, request); });             \
  }

LOCKSTEP_SEND(Send)
LOCKSTEP_SEND(Ssend)
LOCKSTEP_SEND(Bsend)
LOCKSTEP_SEND(Rsend)
LOCKSTEP_ISSUED_SEND(Isend, non_blocking_send)
LOCKSTEP_ISSUED_SEND(Issend, non_blocking_send)
LOCKSTEP_ISSUED_SEND(Ibsend, non_blocking_send)
LOCKSTEP_ISSUED_SEND(Irsend, non_blocking_send)
LOCKSTEP_ISSUED_SEND(Send_init, persistent_send)
LOCKSTEP_ISSUED_SEND(Ssend_init, persistent_send)
LOCKSTEP_ISSUED_SEND(Bsend_init, persistent_send)
LOCKSTEP_ISSUED_SEND(Rsend_init, persistent_send)

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

int wrap_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Status* status) {
  const Message message{buffer, count, type, peer, tag, comm};
  if (!is_told(message)) return real.Recv(buffer, count, type, peer, tag, comm, status);
  BlockingReceive receive(kRecv, message);
  const int result = is_solo() ? receive.serve(status)
                               : real.Recv(buffer, count, type, peer, tag, comm, receive.status(status));
  receive.end(result);
  return result;
}

int wrap_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  const Message message{buffer, count, type, peer, tag, comm};
  const auto call = [&] { return real.Irecv(buffer, count, type, peer, tag, comm, request); };
  return is_told(message) ? issue(pending_receive(kIrecv, message), request, call) : call();
}

int wrap_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  const Message message{buffer, count, type, peer, tag, comm};
  const auto call = [&] { return real.Recv_init(buffer, count, type, peer, tag, comm, request); };
  return is_told(message) ? prepare(pending_receive(kRecv_init, message), request, call) : call();
}

// Both halves at once; each is left out when its partner is MPI_PROC_NULL.
template <typename Call>
int exchange(Function function, const Message& sent, const Message& received, MPI_Status* status, Call call) {
  const auto with_send = [&](MPI_Status* place) {
    return blocking_send(function, sent, [&] { return is_solo() ? MPI_SUCCESS : call(place); });
  };
  if (is_solo() && received.peer == MPI_PROC_NULL) {
    // Nothing comes, which the status is to say.
    with_send(status);
    return real.Recv(nullptr, 0, handles.byte, MPI_PROC_NULL, 0, handles.self, status);
  }
  if (!is_told(received)) return with_send(status);
  BlockingReceive receive(function, received);
  int result = with_send(receive.status(status));
  if (is_solo()) result = receive.serve(status);
  receive.end(result);
  return result;
}

int wrap_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag,
                  void* receive, int receive_count, MPI_Datatype receive_type, int from, int receive_tag,
                  MPI_Comm comm, MPI_Status* status) {
  return exchange(kSendrecv, {send, send_count, send_type, to, send_tag, comm},
                  {receive, receive_count, receive_type, from, receive_tag, comm}, status,
                  [&](MPI_Status* place) {
                    return real.Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count,
                                         receive_type, from, receive_tag, comm, place);
                  });
}

int wrap_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int send_tag, int from,
                          int receive_tag, MPI_Comm comm, MPI_Status* status) {
  return exchange(kSendrecv_replace, {buffer, count, type, to, send_tag, comm},
                  {buffer, count, type, from, receive_tag, comm}, status, [&](MPI_Status* place) {
                    return real.Sendrecv_replace(buffer, count, type, to, send_tag, from, receive_tag, comm,
                                                 place);
                  });
}

}  // namespace

void fill_messages(AnyFunction* table) {
  LOCKSTEP_FILL(Send)
  LOCKSTEP_FILL(Ssend)
  LOCKSTEP_FILL(Bsend)
  LOCKSTEP_FILL(Rsend)
  LOCKSTEP_FILL(Recv)
  LOCKSTEP_FILL(Sendrecv)
  LOCKSTEP_FILL(Sendrecv_replace)
  LOCKSTEP_FILL(Isend)
  LOCKSTEP_FILL(Issend)
  LOCKSTEP_FILL(Ibsend)
  LOCKSTEP_FILL(Irsend)
  LOCKSTEP_FILL(Irecv)
  LOCKSTEP_FILL(Send_init)
  LOCKSTEP_FILL(Ssend_init)
  LOCKSTEP_FILL(Bsend_init)
  LOCKSTEP_FILL(Rsend_init)
  LOCKSTEP_FILL(Recv_init)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
