// Communicators that come and go. Making one is a collective of its parent, in which ranks can hang.
#include "calls.h"
#include "fill.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

template <typename Call>
int create(Function function, const char* verb, MPI_Comm parent, MPI_Comm* made, Call call) {
  if (lockstep_is_recording() == 0) return call();
  const auto facts = collective_facts(function, LOCKSTEP_OPERATION_CreateCommunicator, parent, {},
                                      LOCKSTEP_REDUCE_OP_None, kNoRoot);
  const int number = next_creation(parent);
  lockstep_ticket ticket;
  lockstep_begin_call(&facts, &ticket);
  const int result = call();
  finish(ticket, result);
  if (result == MPI_SUCCESS) add_communicator(*made, parent, verb, number);
  return result;
}

int wrap_Comm_dup(MPI_Comm parent, MPI_Comm* made) {
  return create(kComm_dup, "dup", parent, made, [&] { return real.Comm_dup(parent, made); });
}

int wrap_Comm_dup_with_info(MPI_Comm parent, MPI_Info info, MPI_Comm* made) {
  return create(kComm_dup_with_info, "dup", parent, made,
                [&] { return real.Comm_dup_with_info(parent, info, made); });
}

int wrap_Comm_split(MPI_Comm parent, int color, int key, MPI_Comm* made) {
  return create(kComm_split, "split", parent, made,
                [&] { return real.Comm_split(parent, color, key, made); });
}

int wrap_Comm_split_type(MPI_Comm parent, int type, int key, MPI_Info info, MPI_Comm* made) {
  return create(kComm_split_type, "split", parent, made,
                [&] { return real.Comm_split_type(parent, type, key, info, made); });
}

int wrap_Comm_create(MPI_Comm parent, MPI_Group group, MPI_Comm* made) {
  return create(kComm_create, "create", parent, made, [&] { return real.Comm_create(parent, group, made); });
}

int wrap_Cart_create(MPI_Comm parent, int dimensions, const int* sizes, const int* periods, int reorder,
                     MPI_Comm* made) {
  return create(kCart_create, "cart", parent, made,
                [&] { return real.Cart_create(parent, dimensions, sizes, periods, reorder, made); });
}

int wrap_Cart_sub(MPI_Comm parent, const int* remains, MPI_Comm* made) {
  return create(kCart_sub, "cart_sub", parent, made, [&] { return real.Cart_sub(parent, remains, made); });
}

// Collective over the group only, so the parent cannot count it: the tag and the members tell which it is.
int wrap_Comm_create_group(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm* made) {
  const int result = real.Comm_create_group(parent, group, tag, made);
  if (result == MPI_SUCCESS && lockstep_is_recording() != 0) add_communicator(*made, parent, "group", tag);
  return result;
}

int wrap_Comm_free(MPI_Comm* communicator) {
  const MPI_Comm freed = *communicator;
  const int result = real.Comm_free(communicator);
  if (result == MPI_SUCCESS) forget_communicator(freed);
  return result;
}

int wrap_Comm_disconnect(MPI_Comm* communicator) {
  const MPI_Comm freed = *communicator;
  const int result = real.Comm_disconnect(communicator);
  if (result == MPI_SUCCESS) forget_communicator(freed);
  return result;
}

}  // namespace

void fill_communicator_calls(AnyFunction* table) {
  LOCKSTEP_FILL(Comm_dup)
  LOCKSTEP_FILL(Comm_dup_with_info)
  LOCKSTEP_FILL(Comm_split)
  LOCKSTEP_FILL(Comm_split_type)
  LOCKSTEP_FILL(Comm_create)
  LOCKSTEP_FILL(Comm_create_group)
  LOCKSTEP_FILL(Cart_create)
  LOCKSTEP_FILL(Cart_sub)
  LOCKSTEP_FILL(Comm_free)
  LOCKSTEP_FILL(Comm_disconnect)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
