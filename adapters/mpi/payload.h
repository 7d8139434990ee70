// What a call moves: how many bytes, of which elements.
#pragma once

#include "abi.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

struct Payload {
  std::uint8_t data_type = 0;  // of lockstep/vocabulary.h; 0: must not be compared between ranks
  std::uint64_t bytes = 0;
};

// A type that the program made counts as the type of its elements: ranks may describe the same bytes
// differently, and that is no mismatch.
Payload payload_of(MPI_Datatype type, std::int64_t count);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
