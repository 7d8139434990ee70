// What a preloaded program finds under MPI's names. Each function goes to the wrapper for the MPI that the
// process has loaded, or straight to that MPI when recording was not asked for or the MPI is a strange one.
// The names with a P stand here for MPI's interface for Fortran alone.
#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep/recorder.h"

#include "fortran_library.h"
#include "functions.h"
#include "leave_replay.h"
#include "left_out.h"
#include "library.h"
#include "wrappers.h"

namespace lockstep::adapters::mpi {
namespace {

AnyFunction real_ones[kFunctionCount];
AnyFunction table[kFunctionCount];
AnyFunction refused[kRefusedCount];
AnyFunction conversions[kConversionCount];
std::atomic<bool> is_filled{false};

constexpr const char* kRefusedNames[] = {
#define LOCKSTEP_MPI_NAME(name, arguments) "PMPI_" #name,
    LOCKSTEP_MPI_REFUSED(LOCKSTEP_MPI_NAME)
#undef LOCKSTEP_MPI_NAME
};
constexpr const char* kConversionNames[] = {
#define LOCKSTEP_MPI_NAME(name) "PMPI_" #name,
    LOCKSTEP_MPI_CONVERSIONS(LOCKSTEP_MPI_NAME)
#undef LOCKSTEP_MPI_NAME
};

void fill_untold(const Library& library) {
  for (unsigned i = 0; i < kRefusedCount; ++i) {
    refused[i] = reinterpret_cast<AnyFunction>(find_symbol(library, kRefusedNames[i]));
  }
  for (unsigned i = 0; i < kConversionCount; ++i) {
    conversions[i] = reinterpret_cast<AnyFunction>(find_symbol(library, kConversionNames[i]));
  }
#ifdef LOCKSTEP_HAS_OPENMPI
  if (library.abi == Abi::kOpenMpi && is_solo()) openmpi::fill_solo_conversions(conversions);
#endif
}

// Threads that come here at once fill in the same values in the end; what one calls in between goes straight
// to MPI.
void fill_table() {
  const Library library = find_library();
  find_fortran_library();
  fill_untold(library);
  for (unsigned i = 0; i < kFunctionCount; ++i) {
    real_ones[i] = find_real(library, static_cast<Function>(i));
    table[i] = real_ones[i];
  }
  const char* folder = ::getenv("LOCKSTEP_RECORD");
  [[maybe_unused]] const bool is_wanted = folder != nullptr && folder[0] != '\0';
#ifdef LOCKSTEP_HAS_OPENMPI
  if (is_wanted && library.abi == Abi::kOpenMpi) openmpi::fill_wrappers(library, table);
#endif
#ifdef LOCKSTEP_HAS_MPICH
  if (is_wanted && library.abi == Abi::kMpich) mpich::fill_wrappers(library, table);
#endif
  is_filled.store(true, std::memory_order_release);
}

void be_filled() {
  if (!is_filled.load(std::memory_order_acquire)) [[unlikely]]
    fill_table();
}

AnyFunction target(Function function, const void* caller) {
  be_filled();
  const bool tells_of_the_rank = function == kInit || function == kInit_thread || function == kAbort;
  if (left_out.holds(caller) && !tells_of_the_rank) return real_ones[function];
  return table[function];
}

// Who calls a name with a P means MPI itself, unless it is MPI's interface for Fortran.
AnyFunction target_behind(Function function, const void* caller) {
  be_filled();
  return is_fortran_library(caller) ? target(function, caller) : real_ones[function];
}

AnyFunction unless_replayed(Refused function) {
  be_filled();
  if (!is_solo()) return refused[function];
  const char* const name = kRefusedNames[function] + 1;
  const bool is_one_sided = ::strncmp(name, "MPI_Win_", 8) == 0;
  char text[160];
  ::snprintf(text, sizeof text, "%s: %s cannot be replayed", name,
             is_one_sided ? "one-sided communication" : "what it gives is not in a recording, so it");
  leave_replay(text);
}

AnyFunction conversion(Conversion function) {
  be_filled();
  return conversions[function];
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

// An answer travels like an argument: who expects an integer reads the low half of the word.
#define LOCKSTEP_MPI_FORWARD(symbol, arguments, choose)                    \
  extern "C" LOCKSTEP_API Word symbol(LOCKSTEP_TYPES_##arguments) {        \
    using Target = Word (*)(LOCKSTEP_TYPES_##arguments);                   \
    const AnyFunction function = choose;                                   \
    return reinterpret_cast<Target>(function)(LOCKSTEP_NAMES_##arguments); \
  }
#define LOCKSTEP_MPI_ENTRY(name, arguments)                                                 \
  LOCKSTEP_MPI_FORWARD(MPI_##name, arguments, target(k##name, __builtin_return_address(0))) \
  LOCKSTEP_MPI_FORWARD(PMPI_##name, arguments, target_behind(k##name, __builtin_return_address(0)))
#define LOCKSTEP_MPI_REFUSED_ENTRY(name, arguments)                            \
  LOCKSTEP_MPI_FORWARD(MPI_##name, arguments, unless_replayed(kRefused##name)) \
  LOCKSTEP_MPI_FORWARD(PMPI_##name, arguments, unless_replayed(kRefused##name))
#define LOCKSTEP_MPI_CONVERSION_ENTRY(name)                \
  LOCKSTEP_MPI_FORWARD(MPI_##name, 1, conversion(k##name)) \
  LOCKSTEP_MPI_FORWARD(PMPI_##name, 1, conversion(k##name))

using namespace lockstep::adapters::mpi;
LOCKSTEP_MPI_FUNCTIONS(LOCKSTEP_MPI_ENTRY)
LOCKSTEP_MPI_REFUSED(LOCKSTEP_MPI_REFUSED_ENTRY)
LOCKSTEP_MPI_CONVERSIONS(LOCKSTEP_MPI_CONVERSION_ENTRY)
