// What the shim does around a call: tells it before NCCL gets it, and follows it afterwards. Between
// ncclGroupStart and ncclGroupEnd nothing is issued yet: calls are kept and told when the group ends.
#pragma once

#include "lockstep/recorder.h"

#include "communicators.h"
#include "functions.h"

namespace lockstep::adapters::nccl {

// NCCL calls itself by its public names (ncclBcast calls ncclBroadcast): only what the program calls is told.
class Visit {
 public:
  Visit() { ++depth_; }
  ~Visit() { --depth_; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  bool is_from_program() const { return depth_ == 1; }

 private:
  // NOLINTNEXTLINE(bugprone-dynamic-static-initializers): a constant
  static constinit thread_local int depth_ __attribute__((tls_model("initial-exec")));
};

// What a call is, apart from where it goes.
struct Operation {
  std::uint8_t operation = 0;
  std::size_t count = 0;
  DataType type = 0;
  std::uint8_t reduce_op = LOCKSTEP_REDUCE_OP_None;
  int peer = -1;
};

// A call whose ticket is open until NCCL has answered.
struct Issued {
  lockstep_ticket ticket;
  Communicator communicator;
  Stream stream;
  bool is_captured;
  bool is_creation;  // of the communicator itself: over when NCCL says so, on no stream
};

// NCCL has answered: it is on the stream, or being put there (ncclInProgress), or it failed.
void settle(const Issued* issued, std::size_t count, Result result);

// The facts of a call; its communicator is 0 when it is not recorded.
lockstep_call_facts facts_of(Function function, const Operation& it, Communicator communicator,
                             Stream stream);

// Told by the group when it ends; false: the thread is in no group.
bool keep_for_group(const lockstep_call_facts& facts, const Issued& issued);
// Begun already; it ends with the group.
bool keep_begun_for_group(const Issued& issued);

template <typename Call>
Result issue(Function function, const Operation& it, Communicator communicator, Stream stream, Call call) {
  const Visit visit;
  if (!visit.is_from_program() || has_no_communicators()) return call();
  const lockstep_call_facts facts = facts_of(function, it, communicator, stream);
  if (facts.communicator == 0) return call();
  Issued issued{{}, communicator, stream, (facts.flags & LOCKSTEP_CALL_CAPTURED) != 0, false};
  if (keep_for_group(facts, issued)) return call();
  lockstep_begin_call(&facts, &issued.ticket);
  const Result result = call();
  settle(&issued, 1, result);
  return result;
}

}  // namespace lockstep::adapters::nccl
