// Whether NCCL's own calls are recorded in this process, and the beginning of its record.
//
// Where the adapter of PyTorch, TensorFlow or Horovod records the same collectives one layer above, with
// shapes, stacks and names, NCCL's calls would tell everything twice, in other groups under other numbers;
// Horovod even fuses whatever tensors are ready, differently each time. They are left out then, unless
// LOCKSTEP_NCCL=1 asks for them. LOCKSTEP_NCCL=0 leaves them out always.
#pragma once

namespace lockstep::adapters::nccl {

// A communicator is being made: begins the record of this process when it has none. `rank` of `rank_count` is
// who the process is when neither a launcher nor another adapter knows; -1: NCCL does not tell. False: this
// communicator is not recorded.
bool begin_recording(int rank, int rank_count);

// Calls reach the functions of shim_*.cc; the profiler plugin then keeps still.
void note_shim();
bool has_shim();

}  // namespace lockstep::adapters::nccl
