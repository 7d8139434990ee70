/* A test double of libcuda.so.1: streams end when the program says so. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "fake_nccl.h"

struct event {
  void* stream;
  unsigned long number;
};

static _Atomic unsigned long recorded[16];
static _Atomic unsigned long finished[16];
static void* _Atomic captured_stream;
static _Thread_local void* current = (void*)0x1000;
static void* _Atomic context_of_events;

/* Stream n belongs to context 0x1000, stream n + 8 to another. */
static unsigned index_of(const void* stream) { return (unsigned)(uintptr_t)stream % 16; }

void fake_finish_stream(void* stream) { finished[index_of(stream)] = recorded[index_of(stream)]; }
void fake_capture_stream(void* stream) { captured_stream = stream; }
void fake_use_context(void* context) { current = context; }
void* fake_context_of_events(void) { return context_of_events; }

int cuEventCreate(void** made, unsigned flags) {
  *made = flags == 2 ? calloc(1, sizeof(struct event)) : NULL;
  return *made == NULL;
}
int cuEventRecord(void* event, void* stream) {
  if (stream == captured_stream) return 900;
  ((struct event*)event)->stream = stream;
  ((struct event*)event)->number = ++recorded[index_of(stream)];
  context_of_events = current;
  return 0;
}
int cuEventQuery(void* event) {
  const struct event* it = event;
  return it->number <= finished[index_of(it->stream)] ? 0 : 600;
}
int cuEventDestroy_v2(void* event) {
  free(event);
  return 0;
}
int cuStreamIsCapturing(void* stream, int* status) {
  *status = stream != NULL && stream == captured_stream;
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  static _Thread_local int own;
  const int before = own;
  own = *mode;
  *mode = before;
  return 0;
}
int cuStreamGetCtx(void* stream, void** context) {
  *context = index_of(stream) < 8 ? (void*)0x1000 : (void*)0x2000;
  return 0;
}
int cuCtxGetCurrent(void** context) {
  *context = current;
  return 0;
}
int cuCtxSetCurrent(void* context) {
  current = context;
  return 0;
}
static _Thread_local void* pushed;
int cuCtxPushCurrent_v2(void* context) {
  pushed = current;
  current = context;
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  *context = current;
  current = pushed;
  return 0;
}
