// What calls are given and give back, kept for a replay (lockstep run --payload), and in a replay given back.
#pragma once

#include "lockstep/payload.h"

#include "abi.h"
#include "region.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

inline bool keeps_payload() {
  return lockstep_payload_mode() != LOCKSTEP_PAYLOAD_OFF;
}

// Before the call is made.
void keep_given(const lockstep_ticket& ticket, const Region& given);

// After it: what a collective gave back, or that a send is over.
void keep_got(const lockstep_ticket& ticket, const Region& got);

// What a receive got, with who sent it.
struct Envelope {
  std::int32_t source;
  std::int32_t tag;
  std::uint64_t bytes;
  std::int32_t is_cancelled;
  std::int32_t reserved;
};
Envelope envelope_of(const MPI_Status& status);
Envelope envelope_of_found(
    const MPI_Status& status);  // by a probe: MPICH leaves there whether it was cancelled
void write_status(const Envelope& envelope, MPI_Status* status);  // which may be MPI_STATUS_IGNORE
void keep_received(const lockstep_ticket& ticket, const Region& room, const MPI_Status& status);

// Any pieces of our own.
void keep_pieces(const lockstep_ticket& ticket, const lockstep_piece* pieces, std::size_t count);

// In a replay, instead of the call. What is not in the recording ends the program.
void serve_got(const lockstep_ticket& ticket, const Region& got);
void serve_received(const lockstep_ticket& ticket, const Region& room, MPI_Status* status);
void serve_rooms(const lockstep_ticket& ticket, const lockstep_room* rooms, std::size_t count);
std::size_t served_bytes(const lockstep_ticket& ticket, std::size_t output);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
