// The adapter's own thread. It blocks all signals, so that none of the program's goes to it, and holds
// nothing the program could wait for.
#pragma once

namespace lockstep::adapters::nccl {

// Begins it at the first call of a process; `ask` is called about once a millisecond while it returns true,
// and once more when the process exits. False: there is no thread.
bool start_asking(bool (*ask)());

// There may be something to ask.
void wake_asking();

}  // namespace lockstep::adapters::nccl
