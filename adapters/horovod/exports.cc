// What the Python half calls (adapters/python/lockstep_horovod/native.py).
#include "lockstep/recorder.h"

#include "calls.h"
#include "tensorflow_hooks.h"

using namespace lockstep::adapters::horovod;

namespace {

HorovodLibrary horovod;

}  // namespace

extern "C" {

// Horovod starts, or starts again, in this process. Nonzero when `handle` is not its library.
LOCKSTEP_API int lockstep_horovod_start(void* handle) {
  forget_all_calls();
  return horovod.open(handle) ? 0 : 1;
}

// In a replay, after lockstep_horovod_start: the library was never started, so others answer for it.
LOCKSTEP_API void lockstep_horovod_start_alone(int (*rank)(void), int (*size)(void), int (*set_size)(int),
                                               int (*set_ranks)(int, int*)) {
  horovod.answer_with(rank, size, set_size, set_ranks);
}

// From now on its calls are not recorded.
LOCKSTEP_API void lockstep_horovod_stop(void) {
  forget_all_calls();
  horovod = HorovodLibrary();
}

LOCKSTEP_API const char* lockstep_horovod_watch_tensorflow(void* handle) {
  return watch_tensorflow(handle, horovod);
}

LOCKSTEP_API int lockstep_horovod_reduce_op(int number) {
  return horovod.reduce_op(number);
}

// A place to read, which costs Python less than a call.
LOCKSTEP_API const void* lockstep_horovod_exchanges(void) {
  static_assert(sizeof exchanges_begun == sizeof(std::uint64_t));
  return &exchanges_begun;
}

LOCKSTEP_API void lockstep_horovod_begin_call(int32_t process_set, const char* name,
                                              const lockstep_call_facts* facts, lockstep_ticket* ticket) {
  begin_call(horovod, process_set, name, *facts, *ticket);
}

LOCKSTEP_API void lockstep_horovod_mark_call(const lockstep_ticket* ticket, uint8_t status, uint32_t error) {
  mark_call(*ticket, status, error);
}
}
