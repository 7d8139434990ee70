#include "collective_regions.h"

#include "communicators.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

bool is_root(MPI_Comm communicator, int root) {
  return rank_in(communicator) == root;
}

const void* given_buffer(const void* send, const void* receive) {
  return send == MPI_IN_PLACE ? receive : send;
}

std::int64_t sum_of(const int* counts, MPI_Comm communicator) {
  const int size = size_of(communicator);
  std::int64_t sum = 0;
  for (int i = 0; i < size; ++i) sum += counts[i];
  return sum;
}

Region of_all(const void* data, MPI_Datatype type, int count, MPI_Comm communicator) {
  return plain(data, type, std::int64_t{count} * size_of(communicator));
}

Region own_block(const void* data, MPI_Datatype type, const int* counts, const int* offsets,
                 MPI_Comm communicator) {
  const int rank = rank_in(communicator);
  return plain(element_at(data, type, offsets[rank]), type, counts[rank]);
}

Region given_to_gather(const void* send, int send_count, MPI_Datatype send_type, const void* receive,
                       int receive_count, MPI_Datatype receive_type, MPI_Comm communicator) {
  if (send != MPI_IN_PLACE) return plain(send, send_type, send_count);
  const std::int64_t first = std::int64_t{receive_count} * rank_in(communicator);
  return plain(element_at(receive, receive_type, first), receive_type, receive_count);
}

Region received(const void* data, MPI_Datatype type, int count) {
  return data == MPI_IN_PLACE ? Region{} : plain(data, type, count);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
