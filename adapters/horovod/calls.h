// One Horovod call as the recorder sees it, whichever binding made it.
#pragma once

#include <atomic>
#include <cstdint>

#include "lockstep/recorder.h"

#include "channels.h"

namespace lockstep::adapters::horovod {

// Begins a call of `name`, which is Horovod's own name of the tensor ("allreduce.fc.weight") with a closing
// zero. Communicator, number and name of `facts` are filled in, and its peer is a global rank, as Horovod
// counts roots.
void begin_call(const HorovodLibrary& horovod, std::int32_t process_set, const char* name,
                lockstep_call_facts facts, lockstep_ticket& ticket);

void mark_call(const lockstep_ticket& ticket, std::uint8_t status, std::uint32_t error);

// How many calls were begun that give ranks something of each other: not broadcasts, with which a program
// begins, nor barriers and joins.
extern std::atomic<std::uint64_t> exchanges_begun;

void forget_all_calls();

}  // namespace lockstep::adapters::horovod
