// What a replay is told of its communicators.
#include "communicators.h"
#include "fill.h"
#include "solo.h"
#include "solo_groups.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

int solo_Comm_rank(MPI_Comm communicator, int* rank) {
  if (find_solo_communicator(communicator) == nullptr) return real.Comm_rank(communicator, rank);
  *rank = rank_in(communicator);
  return MPI_SUCCESS;
}

int solo_Comm_size(MPI_Comm communicator, int* size) {
  if (find_solo_communicator(communicator) == nullptr) return real.Comm_size(communicator, size);
  *size = size_of(communicator);
  return MPI_SUCCESS;
}

int solo_Comm_compare(MPI_Comm one, MPI_Comm other, int* result) {
  MPI_Group groups[2]{};
  *result = MPI_IDENT;
  if (one == other) return MPI_SUCCESS;
  if (!make_group_of(one, &groups[0]) || !make_group_of(other, &groups[1])) {
    return real.Comm_compare(one, other, result);
  }
  compare_groups(groups[0], groups[1], result);
  if (*result == MPI_IDENT) *result = MPI_CONGRUENT;
  free_group(&groups[0]);
  free_group(&groups[1]);
  return MPI_SUCCESS;
}

int solo_Comm_group(MPI_Comm communicator, MPI_Group* group) {
  return make_group_of(communicator, group) ? MPI_SUCCESS : real.Comm_group(communicator, group);
}

}  // namespace

void fill_solo_calls(AnyFunction* table) {
  put(table, kComm_rank, real.Comm_rank, solo_Comm_rank);
  put(table, kComm_size, real.Comm_size, solo_Comm_size);
  put(table, kComm_compare, real.Comm_compare, solo_Comm_compare);
  put(table, kComm_group, real.Comm_group, solo_Comm_group);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
