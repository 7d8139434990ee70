// Where requests are started again, seen to be finished, or given up.
#include "choices.h"
#include "fill.h"
#include "local_array.h"
#include "requests.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

// MPI takes requests back by overwriting them, so they are copied first. Statuses are ours when the caller
// wants none and a receive needs one.
class Watched {
 public:
  Watched(int count, const MPI_Request* requests, MPI_Status* callers)
      : requests_(count), own_statuses_(needs_own(callers) ? count : 0) {
    for (int i = 0; i < count && requests_.data() != nullptr; ++i) requests_.data()[i] = requests[i];
    const bool has_own = needs_own(callers) && own_statuses_.data() != nullptr;
    place_ = has_own ? own_statuses_.data() : callers;
    has_statuses_ = place_ != MPI_STATUSES_IGNORE && place_ != MPI_STATUS_IGNORE;
  }

  MPI_Status* place() const { return place_; }

  // The call that follows does not return before some of them, or all, are over.
  void wait_for(int count) {
    for (int i = 0; i < count && requests_.data() != nullptr; ++i) wait_for_request(requests_.data()[i]);
  }

  // Request `index` is over; its status is the one at `status_index`.
  void complete(int index, int status_index, int result) {
    if (requests_.data() == nullptr) return;
    complete_request(requests_.data()[index], result, has_statuses_ ? place_ + status_index : nullptr);
  }

 private:
  static bool needs_own(const MPI_Status* callers) {
    return needs_statuses() && (callers == MPI_STATUSES_IGNORE || callers == MPI_STATUS_IGNORE);
  }

  LocalArray<MPI_Request> requests_;
  LocalArray<MPI_Status> own_statuses_;
  MPI_Status* place_;
  bool has_statuses_;
};

void keep_answer(Choice choice, bool is_chosen, bool is_hit, const int* indices, int count) {
  if (!is_chosen) return;
  if (is_hit) {
    keep_choice(choice, indices, count);
  } else {
    keep_miss();
  }
}

bool is_told(int count) {
  return count > 0 && lockstep_is_recording() != 0;
}

int wrap_Wait(MPI_Request* request, MPI_Status* status) {
  if (!is_told(1)) return real.Wait(request, status);
  Watched watched(1, request, status);
  watched.wait_for(1);
  const int result = real.Wait(request, watched.place());
  watched.complete(0, 0, result);
  return result;
}

int wrap_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!is_told(1)) return real.Test(request, flag, status);
  Watched watched(1, request, status);
  const bool is_chosen = keeps_payload() && is_known(*request);
  const int result = real.Test(request, flag, watched.place());
  keep_answer(Choice::kTest, is_chosen, *flag != 0, nullptr, 0);
  if (result != MPI_SUCCESS || *flag != 0) watched.complete(0, 0, result);
  return result;
}

int wrap_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  if (!is_told(count)) return real.Waitall(count, requests, statuses);
  Watched watched(count, requests, statuses);
  watched.wait_for(count);
  const int result = real.Waitall(count, requests, watched.place());
  for (int i = 0; i < count; ++i) watched.complete(i, i, result);
  return result;
}

int wrap_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (!is_told(count)) return real.Testall(count, requests, flag, statuses);
  Watched watched(count, requests, statuses);
  const bool is_chosen = keeps_payload() && has_known(count, requests);
  const int result = real.Testall(count, requests, flag, watched.place());
  keep_answer(Choice::kTestall, is_chosen, *flag != 0, nullptr, 0);
  if (result != MPI_SUCCESS || *flag == 0) return result;
  for (int i = 0; i < count; ++i) watched.complete(i, i, result);
  return result;
}

int wrap_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  if (!is_told(count)) return real.Waitany(count, requests, index, status);
  Watched watched(count, requests, status);
  watched.wait_for(count);
  const bool is_chosen = keeps_payload() && has_known(count, requests);
  const int result = real.Waitany(count, requests, index, watched.place());
  keep_answer(Choice::kWaitany, is_chosen, true, index, 1);
  if (*index != MPI_UNDEFINED) watched.complete(*index, 0, result);
  return result;
}

int wrap_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (!is_told(count)) return real.Testany(count, requests, index, flag, status);
  Watched watched(count, requests, status);
  const bool is_chosen = keeps_payload() && has_known(count, requests);
  const int result = real.Testany(count, requests, index, flag, watched.place());
  keep_answer(Choice::kTestany, is_chosen, *flag != 0, index, 1);
  if (*flag != 0 && *index != MPI_UNDEFINED) watched.complete(*index, 0, result);
  return result;
}

// Both of the "some" family alike.
template <typename Call>
int some(Choice choice, Call call, int count, MPI_Request* requests, int* finished, int* indices,
         MPI_Status* statuses) {
  if (!is_told(count)) return call(count, requests, finished, indices, statuses);
  Watched watched(count, requests, statuses);
  if (choice == Choice::kWaitsome) watched.wait_for(count);
  const bool is_chosen = keeps_payload() && has_known(count, requests);
  const int result = call(count, requests, finished, indices, watched.place());
  const bool is_none = *finished == MPI_UNDEFINED;
  keep_answer(choice, is_chosen, *finished != 0, is_none ? finished : indices, is_none ? 1 : *finished);
  if (is_none) return result;
  for (int i = 0; i < *finished; ++i) watched.complete(indices[i], i, result);
  return result;
}

int wrap_Waitsome(int count, MPI_Request* requests, int* finished, int* indices, MPI_Status* statuses) {
  return some(Choice::kWaitsome, real.Waitsome, count, requests, finished, indices, statuses);
}

int wrap_Testsome(int count, MPI_Request* requests, int* finished, int* indices, MPI_Status* statuses) {
  return some(Choice::kTestsome, real.Testsome, count, requests, finished, indices, statuses);
}

int wrap_Start(MPI_Request* request) {
  if (is_told(1)) start_request(*request);
  return real.Start(request);
}

int wrap_Startall(int count, MPI_Request* requests) {
  for (int i = 0; is_told(count) && i < count; ++i) start_request(requests[i]);
  return real.Startall(count, requests);
}

int wrap_Request_free(MPI_Request* request) {
  if (is_told(1)) forget_request(*request);
  return real.Request_free(request);
}

}  // namespace

void fill_completions(AnyFunction* table) {
  LOCKSTEP_FILL(Wait)
  LOCKSTEP_FILL(Waitall)
  LOCKSTEP_FILL(Waitany)
  LOCKSTEP_FILL(Waitsome)
  LOCKSTEP_FILL(Test)
  LOCKSTEP_FILL(Testall)
  LOCKSTEP_FILL(Testany)
  LOCKSTEP_FILL(Testsome)
  LOCKSTEP_FILL(Start)
  LOCKSTEP_FILL(Startall)
  LOCKSTEP_FILL(Request_free)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
