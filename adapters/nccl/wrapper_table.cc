// What the front (front/forward.cc) asks for: which functions are ours, and where NCCL is.
#include "wrapper_table.h"

#include <string.h>

#include "functions.h"
#include "library.h"

namespace lockstep::adapters::nccl {

#define LOCKSTEP_NCCL_DECLARE(name, parameters) extern "C" Result lockstep_wrap_##name parameters;
LOCKSTEP_NCCL_FUNCTIONS(LOCKSTEP_NCCL_DECLARE)
#undef LOCKSTEP_NCCL_DECLARE

}  // namespace lockstep::adapters::nccl

using namespace lockstep::adapters::nccl;

lockstep_nccl_function lockstep_nccl_wrapper(const char* name) {
#define LOCKSTEP_NCCL_COMPARE(function, parameters) \
  if (::strcmp(name, "nccl" #function) == 0)        \
    return reinterpret_cast<lockstep_nccl_function>(lockstep_wrap_##function);
  LOCKSTEP_NCCL_FUNCTIONS(LOCKSTEP_NCCL_COMPARE)
#undef LOCKSTEP_NCCL_COMPARE
  return nullptr;
}

void* lockstep_nccl_loaded_library(void) {
  return find_loaded_library();
}

void lockstep_nccl_use_library(void* handle) {
  use_library(handle);
}
