// The MPI library of this process: linked to the program, or loaded by it later (as Python does), in which
// case its symbols are visible to nobody else.
#pragma once

#include "functions.h"

namespace lockstep::adapters::mpi {

enum class Abi { kUnknown, kOpenMpi, kMpich };

struct Library {
  void* handle = nullptr;
  Abi abi = Abi::kUnknown;
};

Library find_library();

// The function of that name, or null.
void* find_symbol(const Library& library, const char* name);

// The variable of that name, or null. A program that names a variable of a library may hold the only copy in
// use.
void* find_variable(const Library& library, const char* name);

// "PMPI_" and the names of Function.
AnyFunction find_real(const Library& library, Function function);

const char* name_of(Function function);  // "MPI_Send"

}  // namespace lockstep::adapters::mpi
