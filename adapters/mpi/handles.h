// Handles that MPI defines: in Open MPI the addresses of variables, in MPICH numbers.
#pragma once

#include "abi.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

struct Handles {
  MPI_Comm world;
  MPI_Comm self;
  MPI_Comm null_communicator;
  MPI_Request null_request;
  MPI_Datatype byte;
  MPI_Group null_group;
  MPI_Message null_message;
  const int* unweighted;
};
extern Handles handles;  // NOLINT(bugprone-dynamic-static-initializers): zeros until they are found

void find_handles(const Library& library);

// Numbers of lockstep/vocabulary.h.
std::uint8_t reduce_op_of(MPI_Op op);
std::uint8_t predefined_type_of(MPI_Datatype type);  // Unknown for one that the program made

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
