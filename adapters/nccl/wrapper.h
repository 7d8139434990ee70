// A function of NCCL's public interface as the program finds it. The real name is an alias: where NCCL's
// front stands in front of us, the name leads there, and we must still know our own.
#pragma once

#include "lockstep/recorder.h"

#define LOCKSTEP_NCCL_WRAPPER(name, ...)                                                                 \
  extern "C" Result lockstep_wrap_##name(__VA_ARGS__);                                                   \
  extern "C" LOCKSTEP_API Result nccl##name(__VA_ARGS__) __attribute__((alias("lockstep_wrap_" #name))); \
  Result lockstep_wrap_##name(__VA_ARGS__)

// What a wrapper gives back when NCCL has no such function.
#define LOCKSTEP_NCCL_REAL(name, ...) (real().name != nullptr ? real().name(__VA_ARGS__) : kInternalError)
