// The NCCL that the program meant to call.
#pragma once

#include "functions.h"

namespace lockstep::adapters::nccl {

struct Real {
#define LOCKSTEP_NCCL_MEMBER(name, parameters) Result(*name) parameters;
  LOCKSTEP_NCCL_FUNCTIONS(LOCKSTEP_NCCL_MEMBER)
  LOCKSTEP_NCCL_QUESTIONS(LOCKSTEP_NCCL_MEMBER)
#undef LOCKSTEP_NCCL_MEMBER
  const char* (*GetErrorString)(Result);
};

// Functions that this NCCL does not have are null. Looked for again until an NCCL is found.
const Real& real();

// From the front (front/forward.cc), which has found NCCL and stands under its name.
void use_library(void* handle);

// The handle of NCCL among what the process has loaded, the front left out; null: none.
void* find_loaded_library();

}  // namespace lockstep::adapters::nccl
