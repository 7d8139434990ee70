// Looking for messages before they are received: whose came first is kept, and in a replay told again.
#include "envelope_choices.h"
#include "fill.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

int wrap_Probe(int source, int tag, MPI_Comm communicator, MPI_Status* status) {
  if (!is_chosen(source)) return real.Probe(source, tag, communicator, status);
  if (is_solo()) {
    if (is_recorded_miss(Choice::kProbe)) leave_replay("off the record: the recorded rank asked again first");
    take_envelope(Choice::kProbe, status);
    return MPI_SUCCESS;
  }
  MPI_Status own;
  MPI_Status* const place = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = real.Probe(source, tag, communicator, place);
  if (result == MPI_SUCCESS) keep_envelope(Choice::kProbe, *place);
  return result;
}

int wrap_Iprobe(int source, int tag, MPI_Comm communicator, int* flag, MPI_Status* status) {
  if (!is_chosen(source)) return real.Iprobe(source, tag, communicator, flag, status);
  if (is_solo()) {
    *flag = is_recorded_miss(Choice::kIprobe) ? 0 : 1;
    if (*flag != 0) take_envelope(Choice::kIprobe, status);
    return MPI_SUCCESS;
  }
  MPI_Status own;
  MPI_Status* const place = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = real.Iprobe(source, tag, communicator, flag, place);
  if (result == MPI_SUCCESS && *flag == 0) keep_miss();
  if (result == MPI_SUCCESS && *flag != 0) keep_envelope(Choice::kIprobe, *place);
  return result;
}

}  // namespace

void fill_probes(AnyFunction* table) {
  LOCKSTEP_FILL(Probe)
  LOCKSTEP_FILL(Iprobe)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
