// Which call a request belongs to, from its issue to its completion, whichever thread sees that.
//
// Receives from any source or with any tag learn their partner only at the end. Persistent requests stay in
// the table and get a new ticket with each start.
#pragma once

#include "calls.h"
#include "checksums.h"
#include "kept.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

struct Pending {
  lockstep_ticket ticket;
  lockstep_call_facts facts;  // of a persistent request, or a wildcard
  MPI_Comm communicator;      // of a wildcard
  std::uint64_t begin_ns;     // of a wildcard
  Checksums checksums;        // of a collective
  Region given;               // of a persistent send
  Region got;                 // what the call fills
  std::uint32_t twins;        // earlier requests with this handle that are finished and not yet given back
  bool is_receive;
  bool is_wildcard;
  bool is_persistent;
  bool is_waited_for;
};

// A program may keep requests open and wait for something else: it waits for them only where it says so.
constexpr std::uint8_t kPosted = LOCKSTEP_CALL_ASYNC | LOCKSTEP_CALL_POSTED;

// In a replay: a request that only we know of, instead of the call.
int make_solo_request(MPI_Request* request);

// In a replay: what the call of this request gave back. A request that is over goes back to MPI.
void serve_request(MPI_Request* request, MPI_Status* status);
void free_solo_request(MPI_Request* request);

bool is_known(MPI_Request request);

// What MPI says of requests that nobody knows is no choice of a recorded call.
bool has_known(int count, const MPI_Request* requests);

// Remembers a request. When there is no room its call is told as finished: nobody would see its end.
void add_request(MPI_Request request, const Pending& pending);

// The issuing call has returned: its end is the request's, or, when it failed, here.
inline int keep_or_finish(int result, const MPI_Request* request, const Pending& pending) {
  if (result == MPI_SUCCESS) {
    add_request(*request, pending);
  } else {
    finish(pending.ticket, result);
  }
  return result;
}

// A persistent request begins again.
void start_request(MPI_Request request);

void forget_request(MPI_Request request);

// MPI is over: nobody waits for what is still open.
void forget_all_requests();

// The rank begins to wait for the request, alone or among others.
void wait_for_request(MPI_Request request);

// The call of this request, as it was before MPI took it back, is over. `status` is needed for receives whose
// source or result matters, and may be null otherwise. A request that nobody added is ignored.
void complete_request(MPI_Request request, int result, const MPI_Status* status);

// True when some pending receive needs its status to know where the message came from, or how long it was.
bool needs_statuses();

// A receive that named no partner got a message: tells it once more, under the partner's number.
void tell_partner(const lockstep_call_facts& wildcard, MPI_Comm communicator, std::uint64_t begin_ns,
                  const MPI_Status& status);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
