// Messages that a matched probe found and nobody has received yet: where they came from. Their handles say
// nothing of it.
#pragma once

#include "abi.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

struct KnownMessage {
  MPI_Comm communicator;
  int source;
  int tag;
};

void remember_message(MPI_Message message, const KnownMessage& known);

// In a replay: a handle that MPI never gives.
MPI_Message make_solo_message(const KnownMessage& known);

// False when nobody remembered it. It is received now.
bool take_message(MPI_Message message, KnownMessage* known);

// Handles of a replay as Fortran knows them; 0 and null when it is MPI's own.
int number_of_message(MPI_Message message);
MPI_Message message_of_fortran(int number);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
