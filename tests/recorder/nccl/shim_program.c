/* A program that is linked with NCCL: shim_program MODE. It checks itself that NCCL got what it gave and that it
 * got NCCL's answer; exits with 0 when all is as without the adapter. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_nccl.h"

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);          \
      exit(9);                                                         \
    }                                                                  \
  } while (0)

#define STREAM ((void*)3)
#define OTHER_STREAM ((void*)4)
#define FOREIGN_STREAM ((void*)11) /* of another context */

static char data[64];

static struct fake_id id_of(char letter) {
  struct fake_id id;
  memset(id.bytes, letter, sizeof id.bytes);
  return id;
}

static void* world(void) {
  void* made = NULL;
  CHECK(ncclCommInitRank(&made, 4, id_of('w'), 1) == 0);
  CHECK(fake_last_call()->count == 'w' && fake_last_call()->type == 'w' && fake_last_call()->communicator == made);
  return made;
}

static void all_reduce(void* communicator, size_t count, void* stream) {
  CHECK(ncclAllReduce(data, data + 1, count, 7, 2, communicator, stream) == 0);
  const struct fake_call* last = fake_last_call();
  CHECK(strcmp(last->function, "ncclAllReduce") == 0 && last->send == data && last->receive == data + 1);
  CHECK(last->count == count && last->type == 7 && last->op == 2 && last->communicator == communicator);
  CHECK(last->stream == stream);
}

static void collectives(void) {
  void* all = world();
  all_reduce(all, 100, STREAM);
  CHECK(ncclBcast(data, 5, 0, 3, all, STREAM) == 0);
  CHECK(strcmp(fake_last_call()->function, "ncclBroadcast") == 0 && fake_last_call()->peer == 3);
  CHECK(ncclAllGather(data, data, 6, 9, all, OTHER_STREAM) == 0);
  CHECK(ncclAllReduceConfig(data, data, 7, 8, 0, all, STREAM, data) == 0);
  CHECK(strcmp(fake_last_call()->function, "ncclAllReduceConfig") == 0);
  fake_finish_stream(STREAM); /* the all-gather, on the other one, never ends */
}

static void failure(void) {
  void* all = world();
  fake_next_result(4);
  CHECK(ncclAllReduce(data, data, 1, 7, 0, all, STREAM) == 4);
}

static void group(void) {
  void* all = world();
  CHECK(ncclGroupStart() == 0 && ncclGroupStart() == 0);
  CHECK(ncclSend(data, 8, 7, 2, all, STREAM) == 0 && ncclRecv(data, 8, 7, 0, all, OTHER_STREAM) == 0);
  CHECK(ncclGroupEnd() == 0);
  all_reduce(all, 9, STREAM);
  CHECK(ncclGroupEnd() == 0);
  fake_finish_stream(STREAM);
}

static void open_group(void) { /* a rank that never ends its group has issued nothing */
  void* all = world();
  CHECK(ncclGroupStart() == 0);
  all_reduce(all, 9, STREAM);
}

static void simulated_group(void) {
  void* all = world();
  CHECK(ncclGroupStart() == 0);
  all_reduce(all, 9, STREAM);
  CHECK(ncclGroupSimulateEnd(data) == 0 && fake_last_call()->send == data);
  all_reduce(all, 10, STREAM);
  fake_finish_stream(STREAM);
}

static void split(void) {
  void* all = world();
  void* half = NULL;
  void* none = data;
  CHECK(ncclCommSplit(all, 1, 7, &half, NULL) == 0 && half != NULL && fake_last_call()->op == 7);
  CHECK(ncclCommSplit(all, -1, 0, &none, NULL) == 0 && none == NULL);
  all_reduce(half, 11, STREAM);
  fake_finish_stream(STREAM);
}

static void scalable(void) {
  struct fake_id ids[2] = {id_of('a'), id_of('b')};
  void* made = NULL;
  CHECK(ncclCommInitRankScalable(&made, 4, 1, 2, ids, NULL) == 0 && fake_last_call()->count == 2);
}

static void captured(void) {
  void* all = world();
  fake_capture_stream(STREAM);
  all_reduce(all, 12, STREAM);
  fake_capture_stream(NULL);
  all_reduce(all, 13, STREAM); /* never ends */
}

static void aborted(void) {
  void* all = world();
  all_reduce(all, 14, STREAM);
  CHECK(ncclCommAbort(all) == 0);
  fake_finish_stream(STREAM); /* its kernel returns, with nothing done */
}

static void non_blocking(void) {
  void* all = NULL;
  int state = -1;
  fake_next_result(7);
  CHECK(ncclCommInitRankConfig(&all, 4, id_of('w'), 1, NULL) == 7);
  fake_set_state(all, 7);
  CHECK(ncclCommGetAsyncError(all, &state) == 0 && state == 7);
  fake_set_state(all, 0);
  CHECK(ncclCommGetAsyncError(all, &state) == 0 && state == 0);
  fake_next_result(7);
  CHECK(ncclAllReduce(data, data, 15, 7, 0, all, STREAM) == 7);
  fake_finish_stream(STREAM); /* too early: it is not on the stream yet */
  CHECK(ncclCommGetAsyncError(all, &state) == 0 && state == 0);
}

static void several_members(void) {
  void* first = NULL;
  void* second = NULL;
  CHECK(ncclGroupStart() == 0);
  CHECK(ncclCommInitRank(&first, 2, id_of('s'), 0) == 0 && ncclCommInitRank(&second, 2, id_of('s'), 1) == 0);
  CHECK(ncclGroupEnd() == 0);
  all_reduce(first, 16, STREAM);
  all_reduce(second, 16, STREAM);
}

static void foreign_context(void) {
  void* all = world();
  all_reduce(all, 17, FOREIGN_STREAM);
  CHECK(getenv("LOCKSTEP_RECORD") == NULL || fake_context_of_events() == (void*)0x2000);
  fake_finish_stream(FOREIGN_STREAM);
}

static void many(void) {
  void* all = world();
  for (int i = 0; i < 20000; ++i) {
    all_reduce(all, 18, STREAM);
    fake_finish_stream(STREAM);
  }
}

/* Four threads, each with a communicator and a stream of its own; every tenth call is in a group. */
static void* call_often(void* argument) {
  void** of_thread = argument;
  for (int i = 0; i < 2000; ++i) {
    if (i % 10 == 0) CHECK(ncclGroupStart() == 0);
    all_reduce(of_thread[0], 1, of_thread[1]);
    if (i % 10 == 0) CHECK(ncclGroupEnd() == 0);
    if (i % 7 == 0) fake_finish_stream(of_thread[1]);
  }
  fake_finish_stream(of_thread[1]);
  return NULL;
}

static void threads(void) {
  pthread_t running[4];
  void* of_thread[4][2];
  for (size_t i = 0; i < 4; ++i) {
    CHECK(ncclCommInitRank(&of_thread[i][0], 4, id_of((char)('a' + i)), 1) == 0);
    of_thread[i][1] = (void*)(i + 1);
  }
  for (size_t i = 0; i < 4; ++i) CHECK(pthread_create(&running[i], NULL, call_often, of_thread[i]) == 0);
  for (size_t i = 0; i < 4; ++i) pthread_join(running[i], NULL);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } modes[] = {
      {"collectives", collectives}, {"failure", failure},
      {"group", group},             {"open_group", open_group},
      {"split", split},             {"scalable", scalable},
      {"captured", captured},       {"aborted", aborted},
      {"non_blocking", non_blocking}, {"several_members", several_members},
      {"foreign_context", foreign_context}, {"many", many},
      {"simulated_group", simulated_group}, {"threads", threads},
  };
  for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; ++i) {
    if (strcmp(argv[1], modes[i].name) == 0) {
      modes[i].run();
      return 0;
    }
  }
  return 8;
}
