// MPI's interface for Fortran: a library of its own that turns each call into one of the C interface. Open
// MPI's goes to the names with a P, where nobody else may be told apart from MPI itself.
#pragma once

namespace lockstep::adapters::mpi {

// Looks for it among what is loaded; once, before the first question.
void find_fortran_library();

bool is_fortran_library(const void* code);

}  // namespace lockstep::adapters::mpi
