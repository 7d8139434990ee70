/* A test double of libnccl.so.2: it does nothing but remember what it was called with, so that a program can see
 * whether the adapter hands everything on. What NCCL really does is tried on a GPU (lab/gpu). */
#include "fake_nccl.h"

#include <string.h>

struct NcclCommunicator {
  int size;
  int rank;
  int state;
  int is_used;
};
static struct NcclCommunicator communicators[64];
static _Thread_local struct fake_call last;
static _Thread_local int next_result;

const struct fake_call* fake_last_call(void) { return &last; }
void fake_next_result(int result) { next_result = result; }
void fake_set_state(void* communicator, int state) { ((struct NcclCommunicator*)communicator)->state = state; }

static int answer(const char* function, const void* send, void* receive, size_t count, int type, int op,
                  int peer, void* communicator, void* stream) {
  const struct fake_call call = {function, send, receive, count, type, op, peer, communicator, stream,
                                 last.number + 1};
  const int result = next_result;
  last = call;
  next_result = 0;
  return result;
}

static struct NcclCommunicator* make(int size, int rank) {
  for (int i = 0; i < 64; ++i) {
    if (communicators[i].is_used) continue;
    communicators[i].size = size;
    communicators[i].rank = rank;
    communicators[i].state = 0;
    communicators[i].is_used = 1;
    return &communicators[i];
  }
  return NULL;
}

int ncclGetVersion(int* version) {
  *version = 22809;
  return 0;
}
const char* ncclGetErrorString(int result) { return result == 4 ? "invalid argument" : "some error"; }
int ncclCommCount(void* communicator, int* count) {
  *count = ((struct NcclCommunicator*)communicator)->size;
  return 0;
}
int ncclCommUserRank(void* communicator, int* rank) {
  *rank = ((struct NcclCommunicator*)communicator)->rank;
  return 0;
}
int ncclCommInitRankConfig(void** made, int size, struct fake_id id, int rank, void* config) {
  *made = make(size, rank);
  return answer("ncclCommInitRankConfig", NULL, NULL, (size_t)id.bytes[0], id.bytes[127], 0, rank, *made, config);
}
/* As NCCL does, by its public name. */
int ncclCommInitRank(void** made, int size, struct fake_id id, int rank) {
  return ncclCommInitRankConfig(made, size, id, rank, NULL);
}
int ncclCommInitRankScalable(void** made, int size, int rank, int id_count, struct fake_id* ids, void* config) {
  *made = make(size, rank);
  return answer("ncclCommInitRankScalable", ids, NULL, (size_t)id_count, 0, 0, rank, *made, config);
}
int ncclCommSplit(void* parent, int color, int key, void** made, void* config) {
  struct NcclCommunicator* from = parent;
  *made = color < 0 ? NULL : make(from->size / 2, from->rank / 2);
  return answer("ncclCommSplit", NULL, NULL, 0, color, key, 0, parent, config);
}
int ncclCommDestroy(void* communicator) {
  ((struct NcclCommunicator*)communicator)->is_used = 0;
  return answer("ncclCommDestroy", NULL, NULL, 0, 0, 0, 0, communicator, NULL);
}
int ncclCommAbort(void* communicator) {
  return answer("ncclCommAbort", NULL, NULL, 0, 0, 0, 0, communicator, NULL);
}
int ncclCommGetAsyncError(void* communicator, int* state) {
  *state = ((struct NcclCommunicator*)communicator)->state;
  return 0;
}
int ncclAllReduce(const void* send, void* receive, size_t count, int type, int op, void* communicator, void* stream) {
  return answer("ncclAllReduce", send, receive, count, type, op, -1, communicator, stream);
}
int ncclAllGather(const void* send, void* receive, size_t count, int type, void* communicator, void* stream) {
  return answer("ncclAllGather", send, receive, count, type, 0, -1, communicator, stream);
}
int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, void* communicator,
                  void* stream) {
  return answer("ncclBroadcast", send, receive, count, type, 0, root, communicator, stream);
}
/* As NCCL does, by its public name: the call comes to the adapter a second time. */
int ncclBcast(void* buffer, size_t count, int type, int root, void* communicator, void* stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, communicator, stream);
}
int ncclAllReduceConfig(const void* send, void* receive, size_t count, int type, int op, void* communicator,
                        void* stream, const void* config) {
  return answer(config == NULL ? "no config" : "ncclAllReduceConfig", send, receive, count, type, op, -1,
                communicator, stream);
}
int ncclSend(const void* buffer, size_t count, int type, int peer, void* communicator, void* stream) {
  return answer("ncclSend", buffer, NULL, count, type, 0, peer, communicator, stream);
}
int ncclRecv(void* buffer, size_t count, int type, int peer, void* communicator, void* stream) {
  return answer("ncclRecv", NULL, buffer, count, type, 0, peer, communicator, stream);
}
int ncclGroupStart(void) { return answer("ncclGroupStart", NULL, NULL, 0, 0, 0, 0, NULL, NULL); }
int ncclGroupEnd(void) { return answer("ncclGroupEnd", NULL, NULL, 0, 0, 0, 0, NULL, NULL); }
int ncclGroupSimulateEnd(void* info) { return answer("ncclGroupSimulateEnd", info, NULL, 0, 0, 0, 0, NULL, NULL); }
/* Forwarded and not looked at: arguments in every register and on the stack. */
int ncclPutSignal(const void* buffer, size_t count, int type, int peer, void* window, size_t offset, int signal,
                  int context, unsigned flags, void* communicator, void* stream) {
  return buffer == (void*)1 && count == 2 && type == 3 && peer == 4 && window == (void*)5 && offset == 6 &&
                 signal == 7 && context == 8 && flags == 9 && communicator == (void*)10 && stream == (void*)11
             ? 42
             : 43;
}
