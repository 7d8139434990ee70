// Requests of a replay: MPI's generalized ones, which are real handles that nobody but us completes.
#include "requests.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

int answer_query(void*, MPI_Status* status) {
  write_status({MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0, 0}, status);
  return MPI_SUCCESS;
}

int answer_free(void*) {
  return MPI_SUCCESS;
}

int answer_cancel(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

int make_solo_request(MPI_Request* request) {
  return real.Grequest_start(answer_query, answer_free, answer_cancel, nullptr, request);
}

void free_solo_request(MPI_Request* request) {
  real.Grequest_complete(*request);
  real.Wait(request, MPI_STATUS_IGNORE);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
