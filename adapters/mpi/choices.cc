#include "choices.h"

#include <atomic>

#include "communicators.h"
#include "handles.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

struct Head {
  std::uint64_t misses;
  Choice choice;
  std::int32_t count;
};

std::atomic<std::uint64_t> misses;
std::atomic<std::uint64_t> made;

std::uint32_t own_communicator() {
  static std::atomic<std::uint32_t> id{0};
  if (id.load() == 0) {
    const std::int32_t member = rank_in(handles.world);
    lockstep_communicator_facts facts{};
    facts.size = sizeof facts;
    facts.member_count = 1;
    facts.members = &member;
    facts.name = "choices of MPI";
    facts.backend = "mpi";
    id.store(lockstep_define_communicator(&facts));
  }
  return id.load();
}

// No call of the program, so the record file has none: payload alone knows it.
lockstep_ticket ticket_of(std::uint64_t number) {
  lockstep_ticket ticket{};
  ticket.communicator = own_communicator();
  ticket.sequence = number;
  ticket.peer = -1;
  ticket.operation = LOCKSTEP_OPERATION_Unknown;
  return ticket;
}

Head recorded_head() {
  const lockstep_ticket ticket = ticket_of(made.load() + 1);
  Head head{};
  const std::size_t rest = served_bytes(ticket, 1);
  LocalArray<char> ignored(static_cast<int>(rest));
  const lockstep_room rooms[2] = {{&head, sizeof head}, {ignored.data(), rest}};
  serve_rooms(ticket, rooms, 2);
  return head;
}

void keep(const Head& head, const std::int32_t* numbers) {
  const lockstep_ticket ticket = ticket_of(made.fetch_add(1) + 1);
  const lockstep_piece pieces[2] = {{&head, sizeof head},
                                    {numbers, static_cast<std::size_t>(head.count) * sizeof *numbers}};
  lockstep_keep_input(&ticket, pieces, 0);
  keep_pieces(ticket, pieces, 2);
}

}  // namespace

void keep_miss() {
  if (keeps_payload()) misses.fetch_add(1);
}

void keep_choice(Choice choice, const std::int32_t* numbers, int count) {
  if (keeps_payload()) keep({misses.exchange(0), choice, count}, numbers);
}

bool is_recorded_miss(Choice choice) {
  const Head head = recorded_head();
  if (misses.load() < head.misses) {
    misses.fetch_add(1);
    return true;
  }
  if (head.choice != choice) leave_replay("off the record: the recorded rank asked MPI for something else");
  return false;
}

int recorded_count() {
  return recorded_head().count;
}

void take_recorded(Choice choice, std::int32_t* numbers, int count) {
  Head head{};
  const lockstep_room rooms[2] = {{&head, sizeof head},
                                  {numbers, static_cast<std::size_t>(count) * sizeof *numbers}};
  serve_rooms(ticket_of(made.load() + 1), rooms, 2);
  keep({misses.exchange(0), choice, count}, numbers);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
