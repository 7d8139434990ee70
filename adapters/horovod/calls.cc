#include "calls.h"

#include <cstring>

namespace lockstep::adapters::horovod {
namespace {

constinit Channels channels;

std::int32_t rank_in_set(const HorovodLibrary& horovod, std::int32_t process_set, std::int32_t global_rank) {
  if (process_set == 0 || global_rank < 0) return global_rank;
  constexpr int kMostMembers = 4096;
  std::int32_t members[kMostMembers];
  const int count = horovod.members_of(process_set, members, kMostMembers);
  for (int at = 0; at < count; ++at) {
    if (members[at] == global_rank) return at;
  }
  return -1;
}

bool is_exchange(std::uint8_t operation) {
  return operation != LOCKSTEP_OPERATION_Broadcast && operation != LOCKSTEP_OPERATION_Barrier &&
         operation != LOCKSTEP_OPERATION_Join;
}

}  // namespace

constinit std::atomic<std::uint64_t> exchanges_begun{0};

void begin_call(const HorovodLibrary& horovod, std::int32_t process_set, const char* name,
                lockstep_call_facts facts, lockstep_ticket& ticket) {
  facts.size = sizeof facts;
  facts.name = lockstep_intern_string(name, std::strlen(name));
  const Place place = channels.next(horovod, process_set, facts.name, name);
  facts.communicator = place.communicator;
  facts.sequence = place.sequence;
  facts.peer = rank_in_set(horovod, process_set, facts.peer);
  lockstep_begin_call(&facts, &ticket);
  if (is_exchange(facts.operation)) exchanges_begun.fetch_add(1, std::memory_order_relaxed);
}

void mark_call(const lockstep_ticket& ticket, std::uint8_t status, std::uint32_t error) {
  const bool is_over = status == LOCKSTEP_DONE_COMPLETED;
  if (is_over && ticket.operation == LOCKSTEP_OPERATION_Join) channels.end_life_of_numbers();
  lockstep_mark_call(&ticket, status, error, 0);
}

void forget_all_calls() {
  channels.forget_all();
}

}  // namespace lockstep::adapters::horovod
