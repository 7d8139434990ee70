// The MPI whose header this source is compiled against, once for each ABI: LOCKSTEP_MPI_ABI is its namespace.
//
// No symbol of the MPI may be needed to load the library: it is preloaded into shells and launchers too. So
// functions are called through `real`, and handles that are addresses come from handles.h.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <type_traits>

#include "functions.h"
#include "library.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

// Functions that are asked and not wrapped.
#define LOCKSTEP_MPI_QUESTIONS(X) \
  X(Comm_get_name)                \
  X(Comm_test_inter)              \
  X(Type_size)                    \
  X(Type_get_envelope)            \
  X(Type_get_contents)            \
  X(Type_get_extent)              \
  X(Type_get_true_extent)         \
  X(Type_dup)                     \
  X(Type_free)                    \
  X(Pack)                         \
  X(Unpack)                       \
  X(Get_count)                    \
  X(Test_cancelled)               \
  X(Status_set_elements)          \
  X(Status_set_cancelled) X(Grequest_start) X(Grequest_complete) X(Error_string) X(Get_library_version)

struct Real {
#define LOCKSTEP_MPI_MEMBER(name, arguments) decltype(&PMPI_##name) name;
#define LOCKSTEP_MPI_QUESTION(name) decltype(&PMPI_##name) name;
  LOCKSTEP_MPI_FUNCTIONS(LOCKSTEP_MPI_MEMBER)
  LOCKSTEP_MPI_QUESTIONS(LOCKSTEP_MPI_QUESTION)
#undef LOCKSTEP_MPI_MEMBER
#undef LOCKSTEP_MPI_QUESTION
};
extern Real real;  // NOLINT(bugprone-dynamic-static-initializers): zeros until they are found

// Handles are pointers in one ABI and integers in the other. Never 0 for a handle that exists.
template <typename Handle>
std::uint64_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
