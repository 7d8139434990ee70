/* What the test double of NCCL tells of the last call it got, and the part of NCCL's interface that it has.
 */
#ifndef LOCKSTEP_TESTS_FAKE_NCCL_H
#define LOCKSTEP_TESTS_FAKE_NCCL_H

#include <stddef.h>

struct fake_id {
  char bytes[128];
};
struct fake_call {
  const char* function;
  const void* send;
  void* receive;
  size_t count;
  int type;
  int op;
  int peer;
  void* communicator;
  void* stream;
  int number; /* how many there were */
};

const struct fake_call* fake_last_call(void);
void fake_next_result(int result);
void fake_set_state(void* communicator, int state);

int ncclCommInitRank(void** made, int size, struct fake_id id, int rank);
int ncclCommInitRankConfig(void** made, int size, struct fake_id id, int rank, void* config);
int ncclCommInitRankScalable(void** made, int size, int rank, int id_count, struct fake_id* ids,
                             void* config);
int ncclCommSplit(void* parent, int color, int key, void** made, void* config);
int ncclCommDestroy(void* communicator);
int ncclCommAbort(void* communicator);
int ncclCommGetAsyncError(void* communicator, int* state);
int ncclAllReduce(const void* send, void* receive, size_t count, int type, int op, void* communicator,
                  void* stream);
int ncclAllReduceConfig(const void* send, void* receive, size_t count, int type, int op, void* communicator,
                        void* stream, const void* config);
int ncclAllGather(const void* send, void* receive, size_t count, int type, void* communicator, void* stream);
int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, void* communicator,
                  void* stream);
int ncclBcast(void* buffer, size_t count, int type, int root, void* communicator, void* stream);
int ncclSend(const void* buffer, size_t count, int type, int peer, void* communicator, void* stream);
int ncclRecv(void* buffer, size_t count, int type, int peer, void* communicator, void* stream);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclGroupSimulateEnd(void* info);

/* Of the test double of the CUDA driver. */
void fake_finish_stream(void* stream);  /* what is on it now has ended */
void fake_capture_stream(void* stream); /* it is captured from now on; NULL: none is */
void fake_use_context(void* context);   /* of the calling thread */
void* fake_context_of_events(void);     /* in which the last event was recorded */

#endif
