// Where a replay waits: requests are over when the recording says so. Requests that are not ours, such as
// those of MPI_PROC_NULL, stay MPI's own.
#include "choices.h"
#include "fill.h"
#include "requests.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

int solo_Wait(MPI_Request* request, MPI_Status* status) {
  if (!is_known(*request)) return real.Wait(request, status);
  serve_request(request, status);
  return MPI_SUCCESS;
}

MPI_Status* status_at(MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

int solo_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  for (int i = 0; i < count; ++i) solo_Wait(&requests[i], status_at(statuses, i));
  return MPI_SUCCESS;
}

int solo_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!is_known(*request)) return real.Test(request, flag, status);
  *flag = is_recorded_miss(Choice::kTest) ? 0 : 1;
  if (*flag == 0) return MPI_SUCCESS;
  take_recorded(Choice::kTest, nullptr, 0);
  return solo_Wait(request, status);
}

int solo_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (!has_known(count, requests)) return real.Testall(count, requests, flag, statuses);
  *flag = is_recorded_miss(Choice::kTestall) ? 0 : 1;
  if (*flag == 0) return MPI_SUCCESS;
  take_recorded(Choice::kTestall, nullptr, 0);
  return solo_Waitall(count, requests, statuses);
}

// One of them is over, or none was under way.
int take_one(Choice choice, int count, MPI_Request* requests, int* index, MPI_Status* status) {
  take_recorded(choice, index, 1);
  if (*index == MPI_UNDEFINED) {
    write_status({MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0, 0}, status);
    return MPI_SUCCESS;
  }
  if (*index < 0 || *index >= count) leave_replay("off the record: there were more requests");
  return solo_Wait(&requests[*index], status);
}

int solo_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  if (!has_known(count, requests)) return real.Waitany(count, requests, index, status);
  if (is_recorded_miss(Choice::kWaitany)) leave_replay("off the record: the recorded rank asked again first");
  return take_one(Choice::kWaitany, count, requests, index, status);
}

int solo_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (!has_known(count, requests)) return real.Testany(count, requests, index, flag, status);
  *flag = is_recorded_miss(Choice::kTestany) ? 0 : 1;
  *index = MPI_UNDEFINED;
  return *flag == 0 ? MPI_SUCCESS : take_one(Choice::kTestany, count, requests, index, status);
}

int take_some(Choice choice, int count, MPI_Request* requests, int* finished, int* indices,
              MPI_Status* statuses) {
  if (is_recorded_miss(choice)) {
    *finished = 0;
    return MPI_SUCCESS;
  }
  const int recorded = recorded_count();
  if (recorded > count) leave_replay("off the record: there were more requests");
  take_recorded(choice, indices, recorded);
  *finished = recorded == 1 && indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : recorded;
  for (int i = 0; i < *finished; ++i) {
    if (indices[i] < 0 || indices[i] >= count) leave_replay("off the record: there were more requests");
    solo_Wait(&requests[indices[i]], status_at(statuses, i));
  }
  return MPI_SUCCESS;
}

int solo_Waitsome(int count, MPI_Request* requests, int* finished, int* indices, MPI_Status* statuses) {
  if (!has_known(count, requests)) return real.Waitsome(count, requests, finished, indices, statuses);
  return take_some(Choice::kWaitsome, count, requests, finished, indices, statuses);
}

int solo_Testsome(int count, MPI_Request* requests, int* finished, int* indices, MPI_Status* statuses) {
  if (!has_known(count, requests)) return real.Testsome(count, requests, finished, indices, statuses);
  return take_some(Choice::kTestsome, count, requests, finished, indices, statuses);
}

int solo_Start(MPI_Request* request) {
  if (!is_known(*request)) return real.Start(request);
  start_request(*request);
  return MPI_SUCCESS;
}

int solo_Startall(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) solo_Start(&requests[i]);
  return MPI_SUCCESS;
}

int solo_Request_free(MPI_Request* request) {
  if (!is_known(*request)) return real.Request_free(request);
  forget_request(*request);
  free_solo_request(request);
  return MPI_SUCCESS;
}

// Whether it came too late, the recording says.
int solo_Cancel(MPI_Request* request) {
  return is_known(*request) ? MPI_SUCCESS : real.Cancel(request);
}

}  // namespace

#define LOCKSTEP_FILL_SOLO(name) put(table, k##name, real.name, solo_##name);

void fill_solo_completions(AnyFunction* table) {
  LOCKSTEP_FILL_SOLO(Wait)
  LOCKSTEP_FILL_SOLO(Waitall)
  LOCKSTEP_FILL_SOLO(Waitany)
  LOCKSTEP_FILL_SOLO(Waitsome)
  LOCKSTEP_FILL_SOLO(Test)
  LOCKSTEP_FILL_SOLO(Testall)
  LOCKSTEP_FILL_SOLO(Testany)
  LOCKSTEP_FILL_SOLO(Testsome)
  LOCKSTEP_FILL_SOLO(Start)
  LOCKSTEP_FILL_SOLO(Startall)
  LOCKSTEP_FILL_SOLO(Request_free)
  LOCKSTEP_FILL_SOLO(Cancel)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
