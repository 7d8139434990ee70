// Messages that are found first and received by their handle, whoever else receives meanwhile.
#include "envelope_choices.h"
#include "fill.h"
#include "known_messages.h"
#include "receive.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

void find_as_recorded(Choice choice, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) {
  MPI_Status found{};
  take_envelope(choice, &found);
  *message = make_solo_message({communicator, found.MPI_SOURCE, found.MPI_TAG});
  if (status != MPI_STATUS_IGNORE) *status = found;
}

void keep_found(Choice choice, MPI_Comm communicator, MPI_Message message, const MPI_Status& status) {
  remember_message(message, {communicator, status.MPI_SOURCE, status.MPI_TAG});
  if (keeps_payload()) keep_envelope(choice, status);
}

bool is_told(int source) {
  return source != MPI_PROC_NULL && lockstep_is_recording() != 0;
}

int wrap_Mprobe(int source, int tag, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) {
  if (!is_told(source)) return real.Mprobe(source, tag, communicator, message, status);
  if (is_solo()) {
    if (is_recorded_miss(Choice::kMprobe))
      leave_replay("off the record: the recorded rank asked again first");
    find_as_recorded(Choice::kMprobe, communicator, message, status);
    return MPI_SUCCESS;
  }
  MPI_Status own;
  MPI_Status* const place = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = real.Mprobe(source, tag, communicator, message, place);
  if (result == MPI_SUCCESS) keep_found(Choice::kMprobe, communicator, *message, *place);
  return result;
}

int wrap_Improbe(int source, int tag, MPI_Comm communicator, int* flag, MPI_Message* message,
                 MPI_Status* status) {
  if (!is_told(source)) return real.Improbe(source, tag, communicator, flag, message, status);
  if (is_solo()) {
    *flag = is_recorded_miss(Choice::kImprobe) ? 0 : 1;
    if (*flag != 0) find_as_recorded(Choice::kImprobe, communicator, message, status);
    return MPI_SUCCESS;
  }
  MPI_Status own;
  MPI_Status* const place = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = real.Improbe(source, tag, communicator, flag, message, place);
  if (result == MPI_SUCCESS && *flag == 0) keep_miss();
  if (result == MPI_SUCCESS && *flag != 0) keep_found(Choice::kImprobe, communicator, *message, *place);
  return result;
}

int wrap_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  KnownMessage known{};
  if (lockstep_is_recording() == 0 || !take_message(*message, &known)) {
    return real.Mrecv(buffer, count, type, message, status);
  }
  BlockingReceive receive(kMrecv, {buffer, count, type, known.source, known.tag, known.communicator});
  const int result =
      is_solo() ? receive.serve(status) : real.Mrecv(buffer, count, type, message, receive.status(status));
  if (is_solo()) *message = handles.null_message;
  receive.end(result);
  return result;
}

int wrap_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const auto call = [&] { return real.Imrecv(buffer, count, type, message, request); };
  KnownMessage known{};
  if (lockstep_is_recording() == 0 || !take_message(*message, &known)) return call();
  const Message found{buffer, count, type, known.source, known.tag, known.communicator};
  const int result = issue(pending_receive(kImrecv, found), request, call);
  if (is_solo()) *message = handles.null_message;
  return result;
}

}  // namespace

void fill_matched_messages(AnyFunction* table) {
  LOCKSTEP_FILL(Mprobe)
  LOCKSTEP_FILL(Improbe)
  LOCKSTEP_FILL(Mrecv)
  LOCKSTEP_FILL(Imrecv)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
