/* Drives the tables of NCCL's profiler interface as NCCL does: profiler_program LIBRARY VERSION. The structures are
 * those of NCCL's public plugin headers, whole, so that a member that the adapter puts elsewhere is noticed. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

struct event_v1 {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct { const char* name; uint64_t commHash, seqNumber; uint8_t func; void const* sendBuff; void* recvBuff;
             size_t count; int root; uint8_t datatype; uint32_t op; size_t trafficBytes; uint8_t nMaxChannels, nWarps,
             algo, proto; int isCollnet, isNvls; } coll;
    struct { const char* name; uint64_t commHash; uint8_t func; void* buff; uint8_t datatype; size_t count;
             int peer; } p2p;
    struct { pid_t pid; uint8_t channelId; int peer, nSteps, chunkSize, isSend; } proxyOp;
  };
};
struct event_v2 {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct { const char* name; uint64_t commHash, seqNumber; const char* func; void const* sendBuff; void* recvBuff;
             size_t count; int root; const char* datatype; size_t trafficBytes; uint8_t nMaxChannels, nWarps;
             const char *algo, *proto; } coll;
    struct { const char* name; uint64_t commHash; const char* func; void* buff; const char* datatype; size_t count;
             int peer; } p2p;
  };
};
struct event_v3 {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct { const char* name; uint64_t commHash, seqNumber; const char* func; void const* sendBuff; void* recvBuff;
             size_t count; int root; const char* datatype; uint8_t nMaxChannels, nWarps; const char *algo,
             *proto; } coll;
    struct { const char* name; uint64_t commHash; const char* func; void* buff; const char* datatype; size_t count;
             int peer; } p2p;
    struct { uint8_t channelId; } kernelCh;
  };
};
struct event_v4 {
  uint8_t type;
  void* parentObj;
  int rank;
  union {
    struct { uint64_t seqNumber; const char* func; void const* sendBuff; void* recvBuff; size_t count; int root;
             const char* datatype; uint8_t nChannels, nWarps; const char *algo, *proto; } coll;
    struct { const char* func; void* buff; const char* datatype; size_t count; int peer; uint8_t nChannels; } p2p;
    struct { uint8_t channelId; uint64_t pTimer; } kernelCh;
  };
};
struct event_v7 { /* and 5 and 6, which end earlier */
  uint64_t type;
  void* parentObj;
  int rank;
  union {
    struct { bool graphCaptured; int groupDepth; } groupApi;
    struct { const char* func; size_t count; const char* datatype; int root; void* stream; bool graphCaptured;
             uint64_t userTag; } collApi;
    struct { const char* func; size_t count; const char* datatype; void* stream; bool graphCaptured;
             uint64_t userTag; } p2pApi;
    struct { uint64_t seqNumber; const char* func; void const* sendBuff; void* recvBuff; size_t count; int root;
             const char* datatype; uint8_t nChannels, nWarps; const char *algo, *proto; void* parentGroup;
             const char* kernelVariant; bool isSymColl; uint64_t userTag; } coll;
    struct { const char* func; void* buff; const char* datatype; size_t count; int peer; uint8_t nChannels;
             void* parentGroup; uint64_t userTag; } p2p;
    struct { uint8_t channelId; uint64_t pTimer; } kernelCh;
  };
};

struct table {
  const char* name;
  void* init;
  int (*start)(void* context, void** handle, void* event);
  int (*stop)(void* handle);
  int (*record)(void* handle, int state, void* arguments);
  int (*finalize)(void* context);
};
static struct table* table;
static void* context;

static void* start(void* event) {
  void* handle = event;
  if (table->start(context, &handle, event) != 0) exit(7);
  return handle;
}

/* Kernel channels begin and end after the collective was stopped, and NCCL asks nothing of a null handle. */
static void run_channels(void* parent, int version, int count, int ended) {
  void* channels[8];
  struct event_v3 old = {.type = 64, .parentObj = parent};
  struct event_v4 middle = {.type = 64, .parentObj = parent, .kernelCh = {0, 123}};
  struct event_v7 new = {.type = 64, .parentObj = parent, .kernelCh = {0, 123}};
  uint64_t timer = 456;
  for (int i = 0; i < count; ++i) channels[i] = start(version == 3 ? (void*)&old : version == 4 ? (void*)&middle : (void*)&new);
  for (int i = 0; i < ended; ++i) {
    if (channels[i] == NULL) exit(6);
    if (version > 3) table->record(channels[i], 22, &timer);
    table->stop(channels[i]);
  }
}

/* An all-reduce that ends, a send, a broadcast that does not end. */
static void speak(int version) {
  void* collective = NULL;
  void* message = NULL;
  void* open = NULL;
  if (version == 1) {
    struct event_v1 e = {.type = 2, .rank = 1, .coll = {NULL, 0xABC, 9, 4, &e, &e, 100, 3, 7, 0, 1, 2, 3, 4, 5, 6, 7}};
    struct event_v1 p = {.type = 4, .rank = 1, .p2p = {NULL, 0xABC, 6, &e, 7, 8, 2}};
    struct event_v1 b = {.type = 2, .rank = 1, .coll = {NULL, 0xABC, 9, 0, &e, &e, 50, 3, 0, 0, 1, 2, 3, 4, 5, 6, 7}};
    collective = start(&e), message = start(&p), open = start(&b);
  } else if (version == 2) {
    struct event_v2 e = {.type = 2, .rank = 1, .coll = {"mine", 0xABC, 9, "AllReduce", &e, &e, 100, 3, "ncclFloat32", 1, 2, 3, "RING", "LL"}};
    struct event_v2 p = {.type = 4, .rank = 1, .p2p = {"mine", 0xABC, "Send", &e, "ncclFloat32", 8, 2}};
    struct event_v2 b = {.type = 2, .rank = 1, .coll = {"mine", 0xABC, 9, "Broadcast", &e, &e, 50, 3, "ncclInt8", 1, 2, 3, "RING", "LL"}};
    collective = start(&e), message = start(&p), open = start(&b);
  } else if (version == 3) {
    struct event_v3 e = {.type = 2, .rank = 1, .coll = {"mine", 0xABC, 9, "AllReduce", &e, &e, 100, 3, "ncclFloat32", 2, 3, "RING", "LL"}};
    struct event_v3 p = {.type = 4, .rank = 1, .p2p = {"mine", 0xABC, "Send", &e, "ncclFloat32", 8, 2}};
    struct event_v3 b = {.type = 2, .rank = 1, .coll = {"mine", 0xABC, 9, "Broadcast", &e, &e, 50, 3, "ncclInt8", 2, 3, "RING", "LL"}};
    collective = start(&e), message = start(&p), open = start(&b);
  } else if (version == 4) {
    struct event_v4 e = {.type = 2, .rank = 1, .coll = {9, "AllReduce", &e, &e, 100, 3, "ncclFloat32", 2, 3, "RING", "LL"}};
    struct event_v4 p = {.type = 4, .rank = 1, .p2p = {"Send", &e, "ncclFloat32", 8, 2, 4}};
    struct event_v4 b = {.type = 2, .rank = 1, .coll = {9, "Broadcast", &e, &e, 50, 3, "ncclInt8", 2, 3, "RING", "LL"}};
    collective = start(&e), message = start(&p), open = start(&b);
  } else {
    struct event_v7 g = {.type = 256, .rank = 1, .groupApi = {false, 1}};
    void* group = start(&g);
    struct event_v7 a = {.type = 512, .parentObj = group, .rank = 1, .collApi = {"AllReduce", 100, "ncclFloat32", 0, &g, false, 0}};
    struct event_v7 c = {.type = 512, .parentObj = group, .rank = 1, .collApi = {"Broadcast", 50, "ncclInt8", 3, &g, true, 0}};
    void* api = start(&a);
    void* captured = start(&c);
    struct event_v7 e = {.type = 2, .parentObj = api, .rank = 1, .coll = {9, "AllReduce", &e, &e, 100, 3, "ncclFloat32", 2, 3, "RING", "LL", group, NULL, false, 0}};
    struct event_v7 p = {.type = 4, .parentObj = NULL, .rank = 1, .p2p = {"Send", &e, "ncclFloat32", 8, 2, 4, group, 0}};
    struct event_v7 b = {.type = 2, .parentObj = captured, .rank = 1, .coll = {9, "Broadcast", &e, &e, 50, 3, "ncclInt8", 2, 3, "RING", "LL", group, NULL, false, 0}};
    collective = start(&e), message = start(&p), open = start(&b);
    if (api != NULL) table->stop(api);
    if (captured != NULL) table->stop(captured);
  }
  if (collective == NULL || message == NULL || open == NULL) exit(5);
  table->stop(collective), table->stop(message), table->stop(open);
  if (version < 3) return;
  run_channels(collective, version, 2, 2);
  run_channels(message, version, 3, 3); /* fewer than it said */
  run_channels(open, version, 2, 1);
}

static int open_communicator(int version, int* mask) {
  if (version < 4) return ((int (*)(void**, int*))table->init)(&context, mask);
  if (version == 4) {
    int (*init)(void**, int*, const char*, uint64_t, int, int, int, void*);
    *(void**)&init = table->init;
    return init(&context, mask, "mine", 0xABC, 2, 4, 1, NULL);
  }
  int (*init)(void**, uint64_t, int*, const char*, int, int, int, void*);
  *(void**)&init = table->init;
  return init(&context, 0xABC, mask, "mine", 2, 4, 1, NULL);
}

int main(int argc, char** argv) {
  void* library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  const int version = library == NULL ? 0 : atoi(argv[2]);
  char symbol[32];
  int mask = 0;
  snprintf(symbol, sizeof symbol, "ncclProfiler_v%d", version);
  table = library == NULL ? NULL : dlsym(library, symbol);
  if (table == NULL) return 2;
  if (open_communicator(version, &mask) != 0) return 3;
  if (mask == 0) return context == NULL ? 0 : 4;
  if (mask != (version < 3 ? 6 : 70)) return 4;
  speak(version);
  table->finalize(context);
  dlclose(library);
  return 0;
}
