// Between liblockstep_nccl.so and the front that stands under NCCL's own name.
#pragma once

#include "lockstep/recorder.h"

extern "C" {
using lockstep_nccl_function = void (*)();

// The wrapper of that name, or null: not one that is recorded.
LOCKSTEP_API lockstep_nccl_function lockstep_nccl_wrapper(const char* name);

// NCCL among what the process has loaded, never the front; null: none.
LOCKSTEP_API void* lockstep_nccl_loaded_library(void);

// This is NCCL, for the wrappers.
LOCKSTEP_API void lockstep_nccl_use_library(void* handle);
}
