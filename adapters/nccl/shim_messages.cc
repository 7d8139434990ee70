// Sends and receives, and the groups they mostly come in.
#include "calls.h"
#include "groups.h"
#include "library.h"
#include "wrapper.h"

namespace lockstep::adapters::nccl {

LOCKSTEP_NCCL_WRAPPER(Send, const void* buffer, std::size_t count, DataType type, int peer,
                      Communicator communicator, Stream stream) {
  return issue(kSend, Operation{LOCKSTEP_OPERATION_Send, count, type, LOCKSTEP_REDUCE_OP_None, peer},
               communicator, stream,
               [&] { return LOCKSTEP_NCCL_REAL(Send, buffer, count, type, peer, communicator, stream); });
}

LOCKSTEP_NCCL_WRAPPER(Recv, void* buffer, std::size_t count, DataType type, int peer,
                      Communicator communicator, Stream stream) {
  return issue(kRecv, Operation{LOCKSTEP_OPERATION_Receive, count, type, LOCKSTEP_REDUCE_OP_None, peer},
               communicator, stream,
               [&] { return LOCKSTEP_NCCL_REAL(Recv, buffer, count, type, peer, communicator, stream); });
}

LOCKSTEP_NCCL_WRAPPER(GroupStart) {
  const Visit visit;
  const Result result = LOCKSTEP_NCCL_REAL(GroupStart);
  if (visit.is_from_program() && result == kSuccess) enter_group();
  return result;
}

LOCKSTEP_NCCL_WRAPPER(GroupEnd) {
  const Visit visit;
  if (!visit.is_from_program()) return LOCKSTEP_NCCL_REAL(GroupEnd);
  if (!is_last_end()) {
    leave_inner_group();
    return LOCKSTEP_NCCL_REAL(GroupEnd);
  }
  tell_group();
  const Result result = LOCKSTEP_NCCL_REAL(GroupEnd);
  settle_group(result);
  return result;
}

// Asks how long the group would take, and drops it.
LOCKSTEP_NCCL_WRAPPER(GroupSimulateEnd, void* info) {
  const Visit visit;
  if (visit.is_from_program() && is_last_end()) {
    drop_group();
  } else if (visit.is_from_program()) {
    leave_inner_group();
  }
  return LOCKSTEP_NCCL_REAL(GroupSimulateEnd, info);
}

}  // namespace lockstep::adapters::nccl
