// Sends and receives.
#include "fill.h"
#include "receive.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

lockstep_call_facts send_facts(Function function, const Message& message) {
  return message_facts(function, LOCKSTEP_OPERATION_Send, message.communicator,
                       payload_of(message.type, message.count), message.peer, message.tag);
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
