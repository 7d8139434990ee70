// When calls end on the device, without ever waiting for it: a thread of the adapter's own asks once a
// millisecond while something is open, and sleeps otherwise.
#pragma once

#include "lockstep/recorder.h"

#include "abi.h"

namespace lockstep::adapters::nccl {

// True when the end of a call can be noticed here.
bool can_follow();

// True while calls on this stream are captured into a graph instead of running.
bool is_capturing(Stream stream);

// Calls that were just put on a stream, all behind each other: they have ended when the stream gets here.
// What cannot be followed is told as finished: nobody would see its end.
void follow(const lockstep_ticket* tickets, std::size_t count, Stream stream);

// What is open in this communicator will not end as it should: its calls are marked as failed. Waits for the
// asking thread's present round, half a second at most, so only where the program waits anyway (abort,
// error).
void give_up(std::uint32_t communicator);

}  // namespace lockstep::adapters::nccl
