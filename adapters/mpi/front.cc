// What a preloaded program finds under MPI's names. Each function goes to the wrapper for the MPI that the
// process has loaded, or straight to that MPI when recording was not asked for or the MPI is a strange one.
#include <atomic>
#include <stdlib.h>

#include "lockstep/recorder.h"

#include "functions.h"
#include "left_out.h"
#include "library.h"
#include "wrappers.h"

namespace lockstep::adapters::mpi {
namespace {

AnyFunction real_ones[kFunctionCount];
AnyFunction table[kFunctionCount];
std::atomic<bool> is_filled{false};

// Threads that come here at once fill in the same values in the end; what one calls in between goes straight
// to MPI.
void fill_table() {
  const Library library = find_library();
  for (unsigned i = 0; i < kFunctionCount; ++i) {
    real_ones[i] = find_real(library, static_cast<Function>(i));
    table[i] = real_ones[i];
  }
  const char* folder = ::getenv("LOCKSTEP_RECORD");
  const bool is_wanted = folder != nullptr && folder[0] != '\0';
#ifdef LOCKSTEP_HAS_OPENMPI
  if (is_wanted && library.abi == Abi::kOpenMpi) openmpi::fill_wrappers(library, table);
#endif
#ifdef LOCKSTEP_HAS_MPICH
  if (is_wanted && library.abi == Abi::kMpich) mpich::fill_wrappers(library, table);
#endif
  is_filled.store(true, std::memory_order_release);
}

AnyFunction target(Function function, const void* caller) {
  if (!is_filled.load(std::memory_order_acquire)) [[unlikely]]
    fill_table();
  const bool tells_of_the_rank = function == kInit || function == kInit_thread || function == kAbort;
  if (left_out.holds(caller) && !tells_of_the_rank) return real_ones[function];
  return table[function];
}

using Word = long;

}  // namespace
}  // namespace lockstep::adapters::mpi

// A word for each argument: integers and pointers travel alike on the 64-bit Linux ABIs.
#define LOCKSTEP_TYPES_0
#define LOCKSTEP_TYPES_1 Word a
#define LOCKSTEP_TYPES_2 LOCKSTEP_TYPES_1, Word b
#define LOCKSTEP_TYPES_3 LOCKSTEP_TYPES_2, Word c
#define LOCKSTEP_TYPES_4 LOCKSTEP_TYPES_3, Word d
#define LOCKSTEP_TYPES_5 LOCKSTEP_TYPES_4, Word e
#define LOCKSTEP_TYPES_6 LOCKSTEP_TYPES_5, Word f
#define LOCKSTEP_TYPES_7 LOCKSTEP_TYPES_6, Word g
#define LOCKSTEP_TYPES_8 LOCKSTEP_TYPES_7, Word h
#define LOCKSTEP_TYPES_9 LOCKSTEP_TYPES_8, Word i
#define LOCKSTEP_TYPES_10 LOCKSTEP_TYPES_9, Word j
#define LOCKSTEP_TYPES_12 LOCKSTEP_TYPES_10, Word k, Word l
#define LOCKSTEP_NAMES_0
#define LOCKSTEP_NAMES_1 a
#define LOCKSTEP_NAMES_2 LOCKSTEP_NAMES_1, b
#define LOCKSTEP_NAMES_3 LOCKSTEP_NAMES_2, c
#define LOCKSTEP_NAMES_4 LOCKSTEP_NAMES_3, d
#define LOCKSTEP_NAMES_5 LOCKSTEP_NAMES_4, e
#define LOCKSTEP_NAMES_6 LOCKSTEP_NAMES_5, f
#define LOCKSTEP_NAMES_7 LOCKSTEP_NAMES_6, g
#define LOCKSTEP_NAMES_8 LOCKSTEP_NAMES_7, h
#define LOCKSTEP_NAMES_9 LOCKSTEP_NAMES_8, i
#define LOCKSTEP_NAMES_10 LOCKSTEP_NAMES_9, j
#define LOCKSTEP_NAMES_12 LOCKSTEP_NAMES_10, k, l

#define LOCKSTEP_MPI_ENTRY(name, arguments)                                \
  extern "C" LOCKSTEP_API int MPI_##name(LOCKSTEP_TYPES_##arguments) {     \
    using Target = int (*)(LOCKSTEP_TYPES_##arguments);                    \
    const auto function = target(k##name, __builtin_return_address(0));    \
    return reinterpret_cast<Target>(function)(LOCKSTEP_NAMES_##arguments); \
  }

using namespace lockstep::adapters::mpi;
LOCKSTEP_MPI_FUNCTIONS(LOCKSTEP_MPI_ENTRY)
