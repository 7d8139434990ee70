// Which memory a collective reads and fills on this rank.
#pragma once

#include "region.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

bool is_root(MPI_Comm communicator, int root);

const void* given_buffer(const void* send, const void* receive);

std::int64_t sum_of(const int* counts, MPI_Comm communicator);

// A block for each rank, one behind the other.
Region of_all(const void* data, MPI_Datatype type, int count, MPI_Comm communicator);

// Where what the rank brings stands among what all get.
Region own_block(const void* data, MPI_Datatype type, const int* counts, const int* offsets,
                 MPI_Comm communicator);

Region given_to_gather(const void* send, int send_count, MPI_Datatype send_type, const void* receive,
                       int receive_count, MPI_Datatype receive_type, MPI_Comm communicator);

// The root of a scatter may leave its part where it is.
Region received(const void* data, MPI_Datatype type, int count);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
