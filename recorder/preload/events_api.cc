// The part of recorder.h that says what happens.
#include "lockstep/recorder.h"

#include "facts.h"
#include "recorder/core/checksum.h"
#include "recorder/core/clock.h"
#include "recorder/core/point_to_point.h"
#include "visit.h"

namespace lockstep::recorder {
namespace {

std::uint64_t time_or_now(std::uint64_t time_ns) {
  return time_ns != 0 ? time_ns : monotonic_now_ns();
}

std::uint64_t number_of(Visit& visit, const lockstep_call_facts& facts) {
  if (facts.sequence != 0) return facts.sequence;
  if (is_point_to_point(facts.operation))
    return visit->numbers().next(facts.communicator, facts.peer, facts.operation);
  return visit->numbers().next(facts.communicator, -1, 0);
}

}  // namespace
}  // namespace lockstep::recorder

using lockstep::recorder::Visit;

std::uint64_t lockstep_now_ns(void) {
  return lockstep::recorder::monotonic_now_ns();
}

void lockstep_begin_call(const lockstep_call_facts* given, lockstep_ticket* ticket) {
  using namespace lockstep::recorder;
  *ticket = lockstep_ticket{};
  Visit visit;
  if (!visit) return;
  const auto facts = known_part(given);
  if (facts.communicator == 0) return;
  const std::uint64_t number = number_of(visit, facts);
  if (number == 0) return visit->writer().count_dropped();

  lockstep_call call{};
  call.time_ns = time_or_now(facts.time_ns);
  call.sequence = number;
  call.communicator = facts.communicator;
  call.operation = facts.operation;
  call.reduce_op = facts.reduce_op;
  call.data_type = facts.data_type;
  call.flags = facts.flags;
  call.peer = facts.peer;
  call.name = facts.name;
  call.payload_bytes = facts.payload_bytes;
  call.tensors = facts.tensors;
  call.stack = facts.stack;
  call.stream = facts.stream;
  Lane* lane = visit->lane();
  if (lane == nullptr) return visit->writer().count_dropped();
  lane->write(call);
  visit->note_clock(*lane, call.time_ns);

  ticket->sequence = number;
  ticket->communicator = facts.communicator;
  ticket->peer = facts.peer;
  ticket->operation = facts.operation;
}

void lockstep_mark_call(const lockstep_ticket* ticket, std::uint8_t status, std::uint32_t error,
                        std::uint64_t time_ns) {
  if (ticket->communicator == 0) return;
  Visit visit;
  if (!visit) return;
  lockstep_done done{};
  done.time_ns = lockstep::recorder::time_or_now(time_ns);
  done.sequence = ticket->sequence;
  done.communicator = ticket->communicator;
  done.operation = ticket->operation;
  done.status = status;
  done.peer = ticket->peer;
  done.error = error;
  visit.write(done);
}

int lockstep_wants_checksums(void) {
  using lockstep::recorder::Session;
  return Session::settings().wants_checksums && Session::recording() != nullptr ? 1 : 0;
}

void lockstep_note_checksums(const lockstep_ticket* ticket, const lockstep_checksum_facts* given) {
  if (ticket->communicator == 0) return;
  Visit visit;
  if (!visit) return;
  const auto facts = lockstep::recorder::known_part(given);
  lockstep_checksum checksum{};
  checksum.sequence = ticket->sequence;
  checksum.communicator = ticket->communicator;
  checksum.operation = ticket->operation;
  checksum.peer = ticket->peer;
  checksum.has_input = facts.has_input;
  checksum.has_output = facts.has_output;
  checksum.input = facts.input;
  checksum.output = facts.output;
  visit.write(checksum);
}

std::uint64_t lockstep_checksum_pieces(const lockstep_piece* pieces, std::size_t count) {
  return lockstep::recorder::checksum(pieces, count);
}

void lockstep_mark_activity(const lockstep_activity_facts* given) {
  Visit visit;
  if (!visit) return;
  const auto facts = lockstep::recorder::known_part(given);
  lockstep_activity activity{};
  activity.time_ns = lockstep::recorder::time_or_now(facts.time_ns);
  activity.number = facts.number;
  activity.activity = facts.activity;
  activity.phase = facts.phase;
  activity.name = facts.name;
  visit.write(activity);
}
