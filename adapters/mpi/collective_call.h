// A collective from its issue to its end, told to the recorder, and in a replay served instead of made.
#pragma once

#include "kept.h"
#include "requests.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

// What a call is, apart from its function: gathered only when the process is recorded.
struct Collective {
  std::uint8_t operation = 0;
  Payload payload = {};
  std::uint8_t reduce_op = LOCKSTEP_REDUCE_OP_None;
  int root = kNoRoot;
  Region given = {};
  Region got = {};
};

// Of a plain buffer of a type without gaps; others are not summed.
inline Span plain_span(const Region& region) {
  return region.blocks == 1 && region.counts == nullptr ? span_of(region.data, region.type, region.count)
                                                        : Span{};
}

inline bool is_summed(std::uint8_t operation) {
  return operation == LOCKSTEP_OPERATION_Broadcast || operation == LOCKSTEP_OPERATION_Reduce ||
         operation == LOCKSTEP_OPERATION_AllReduce || operation == LOCKSTEP_OPERATION_Scan ||
         operation == LOCKSTEP_OPERATION_AllGather;
}

inline Checksums checksums_of(const Collective& it) {
  const bool is_wanted = lockstep_wants_checksums() != 0 && is_summed(it.operation);
  return is_wanted ? Checksums(plain_span(it.given), plain_span(it.got)) : Checksums();
}

template <typename Describe, typename Call>
int blocking(Function function, MPI_Comm communicator, Describe describe, Call call) {
  if (lockstep_is_recording() == 0) return call();
  const Collective it = describe();
  const auto facts =
      collective_facts(function, it.operation, communicator, it.payload, it.reduce_op, it.root);
  const Checksums checksums = checksums_of(it);
  lockstep_ticket ticket;
  lockstep_begin_call(&facts, &ticket);
  keep_given(ticket, it.given);
  int result = MPI_SUCCESS;
  if (is_solo()) {
    serve_got(ticket, it.got);
  } else {
    result = call();
  }
  finish(ticket, result);
  if (result != MPI_SUCCESS) return result;
  checksums.note(ticket);
  keep_got(ticket, it.got);
  return result;
}

template <typename Describe, typename Call>
int non_blocking(Function function, MPI_Comm communicator, MPI_Request* request, Describe describe,
                 Call call) {
  if (lockstep_is_recording() == 0) return call();
  const Collective it = describe();
  auto facts = collective_facts(function, it.operation, communicator, it.payload, it.reduce_op, it.root);
  facts.flags = kPosted;
  Pending pending{};
  pending.checksums = checksums_of(it);
  pending.got = it.got;
  lockstep_begin_call(&facts, &pending.ticket);
  keep_given(pending.ticket, it.given);
  return keep_or_finish(is_solo() ? make_solo_request(request) : call(), request, pending);
}

// Sizes of calls with a count for each rank differ between ranks by design, so none is told.
constexpr Payload kUneven{};

// Both forms of a collective: parameters and arguments without the request, and what it is.
#define LOCKSTEP_COLLECTIVE(name, iname, PARAMETERS, ARGUMENTS, ...)          \
  int wrap_##name(LOCKSTEP_UNPACK PARAMETERS) {                               \
    return blocking(                                                          \
        k##name, comm, [&]() -> Collective { return __VA_ARGS__; },           \
        [&] { return real.name(LOCKSTEP_UNPACK ARGUMENTS); });                \
  }                                                                           \
  int wrap_##iname(LOCKSTEP_UNPACK PARAMETERS, MPI_Request* request) {        \
    return non_blocking(                                                      \
        k##iname, comm, request, [&]() -> Collective { return __VA_ARGS__; }, \
        [&] { return real.iname(LOCKSTEP_UNPACK ARGUMENTS, request); });      \
  }
#define LOCKSTEP_UNPACK(...) __VA_ARGS__

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
