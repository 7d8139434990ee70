// What the Python side calls, by ctypes. Nothing throws through here.
#include <cstdint>

#include "call.h"
#include "executor_hooks.h"
#include "groups.h"

#define LOCKSTEP_TENSORFLOW_API extern "C" __attribute__((visibility("default")))

// The tasks of the cluster, one to a line, in the order of their ranks.
LOCKSTEP_TENSORFLOW_API void lockstep_tensorflow_set_tasks(const char* lines,
                                                           std::uint32_t collective_tasks) {
  lockstep::tensorflow_adapter::set_tasks(lines, collective_tasks);
}

// Null, or why it failed.
LOCKSTEP_TENSORFLOW_API const char* lockstep_tensorflow_install() {
  return lockstep::tensorflow_adapter::install_hooks();
}

LOCKSTEP_TENSORFLOW_API const char* lockstep_tensorflow_remove() {
  return lockstep::tensorflow_adapter::remove_hooks();
}

// How many collectives were begun: a place to read, which costs Python less than a call.
LOCKSTEP_TENSORFLOW_API const void* lockstep_tensorflow_calls() {
  static_assert(sizeof lockstep::tensorflow_adapter::calls_begun == sizeof(std::uint64_t));
  return &lockstep::tensorflow_adapter::calls_begun;
}
