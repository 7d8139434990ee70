// What the Python side calls, by ctypes. Nothing throws through here.
#include <cstdint>

#include "lockstep/recorder.h"

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

// A step has ended. One call: from Python each costs more than what it does.
LOCKSTEP_TENSORFLOW_API void lockstep_tensorflow_tell_step(std::uint64_t number, std::uint64_t begin_ns,
                                                           std::uint64_t end_ns) {
  lockstep_activity_facts facts{};
  facts.size = sizeof facts;
  facts.activity = LOCKSTEP_ACTIVITY_Step;
  facts.number = number;
  facts.phase = LOCKSTEP_PHASE_BEGIN;
  facts.time_ns = begin_ns;
  lockstep_mark_activity(&facts);
  facts.phase = LOCKSTEP_PHASE_END;
  facts.time_ns = end_ns;
  lockstep_mark_activity(&facts);
}
