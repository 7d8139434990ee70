// Calls of communicators that do not block: NCCL answers "in progress", and puts them on their stream before
// ncclCommGetAsyncError says that all is well.
#pragma once

#include "calls.h"

namespace lockstep::adapters::nccl {

// False: there is no room.
bool wait_for_communicator(const Issued& issued);

// ncclCommGetAsyncError said this about the communicator.
void note_state(Communicator communicator, Result state);

}  // namespace lockstep::adapters::nccl
