// payload.h.
#include "lockstep/payload.h"

#include "facts.h"
#include "visit.h"

namespace lockstep::recorder {
namespace {

// Runs `step` with the payload and the key of a call that something is kept of.
template <typename Step>
void with_call(const lockstep_ticket* ticket, Step step) {
  if (ticket->communicator == 0) return;
  const Visit visit;
  if (!visit || visit->payload().mode() == LOCKSTEP_PAYLOAD_OFF) return;
  const PayloadKey key = visit->payload().key_of(*ticket);
  if (key.communicator != 0) step(visit->payload(), key);
}

}  // namespace
}  // namespace lockstep::recorder

using lockstep::recorder::Payload;
using lockstep::recorder::PayloadKey;
using lockstep::recorder::Session;
using lockstep::recorder::with_call;

int lockstep_payload_mode(void) {
  Session* const session = Session::recording();
  return session == nullptr ? LOCKSTEP_PAYLOAD_OFF : session->payload().mode();
}

void lockstep_keep_input(const lockstep_ticket* ticket, const lockstep_piece* pieces, std::size_t count) {
  with_call(ticket, [&](Payload& payload, const PayloadKey& key) {
    payload.keeper().keep_input(key, pieces, count);
  });
}

void lockstep_payload_now(lockstep_payload_moment* moment) {
  const lockstep::recorder::Visit visit;
  if (visit && visit->payload().mode() != LOCKSTEP_PAYLOAD_OFF) visit->payload().keeper().tell_now(*moment);
}

void lockstep_keep_input_sum(const lockstep_ticket* ticket, const lockstep_payload_moment* moment,
                             const std::uint8_t sum[16], std::uint64_t bytes, std::size_t count) {
  with_call(ticket, [&](Payload& payload, const PayloadKey& key) {
    payload.keeper().keep_input_sum(key, *moment, sum, bytes, count);
  });
}

void lockstep_keep_output(const lockstep_ticket* ticket, const lockstep_piece* pieces, std::size_t count,
                          std::int32_t source) {
  with_call(ticket, [&](Payload& payload, const PayloadKey& key) {
    payload.keeper().keep_output(key, pieces, count, source);
  });
}

void lockstep_stop_payload(void) {
  const lockstep::recorder::Visit visit;
  if (visit && visit->payload().mode() == LOCKSTEP_PAYLOAD_KEEPS) visit->payload().keeper().stop(0);
}

int lockstep_payload_has_stopped(void) {
  const lockstep::recorder::Visit visit;
  return visit && visit->payload().mode() == LOCKSTEP_PAYLOAD_KEEPS &&
         visit->payload().keeper().has_stopped();
}

void lockstep_keep_failure(const lockstep_ticket* ticket, const char* error, std::size_t bytes) {
  with_call(ticket, [&](Payload& payload, const PayloadKey& key) {
    payload.keeper().keep_failure(key, error, bytes);
  });
}

void lockstep_keep_state(std::uint64_t step, const char* names, std::size_t names_bytes,
                         const lockstep_piece* pieces, std::size_t count) {
  const lockstep::recorder::Visit visit;
  if (!visit || visit->payload().mode() == LOCKSTEP_PAYLOAD_OFF) return;
  visit->payload().keeper().keep_state(step, names, names_bytes, pieces, count);
}

void lockstep_end_step(std::uint64_t step) {
  const lockstep::recorder::Visit visit;
  if (visit && visit->payload().mode() != LOCKSTEP_PAYLOAD_OFF) visit->payload().keeper().end_step(step);
}

void lockstep_keep_state_sums(std::uint64_t step, const char* names, std::size_t names_bytes,
                              const std::uint64_t* sums, std::size_t count) {
  const lockstep::recorder::Visit visit;
  if (!visit || visit->payload().mode() == LOCKSTEP_PAYLOAD_OFF) return;
  visit->payload().keeper().keep_state_sums(step, {names, names_bytes}, sums, count);
}

void lockstep_begin_step(void) {
  const lockstep::recorder::Visit visit;
  if (visit && visit->payload().mode() != LOCKSTEP_PAYLOAD_OFF) visit->payload().begin_step();
}

void lockstep_keep_checkpoint(const char* path, std::size_t bytes) {
  const lockstep::recorder::Visit visit;
  if (!visit || visit->payload().mode() != LOCKSTEP_PAYLOAD_KEEPS) return;
  visit->payload().keeper().note_checkpoint(path, bytes);
}

int lockstep_served_bytes(const lockstep_ticket* ticket, std::size_t output, std::uint64_t* bytes) {
  int status = LOCKSTEP_SERVE_UNKNOWN;
  with_call(ticket, [&](Payload& payload, const PayloadKey& key) {
    if (payload.mode() != LOCKSTEP_PAYLOAD_SERVES) return;
    status = payload.index().output_bytes(key, output, *bytes);
  });
  return status;
}

int lockstep_serve_call(const lockstep_ticket* ticket, const lockstep_room* rooms, std::size_t count,
                        lockstep_served* served) {
  int status = LOCKSTEP_SERVE_UNKNOWN;
  with_call(ticket, [&](Payload& payload, const PayloadKey& key) {
    if (payload.mode() != LOCKSTEP_PAYLOAD_SERVES) return;
    payload.breakpoint().meet(key, payload.keeper());
    status = payload.index().serve(key, rooms, count, *served);
  });
  return status;
}
