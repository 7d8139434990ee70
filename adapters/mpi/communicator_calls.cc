// Communicators that come and go. Making one is a collective of its parent, in which ranks can hang.
#include "calls.h"
#include "choices.h"
#include "fill.h"
#include "kept.h"
#include "local_array.h"
#include "solo.h"
#include "topology.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

// Who is in a communicator that was made; nobody when this rank got none.
struct Made {
  std::int32_t rank = -1;
  std::int32_t size = 0;
};

// Who is in it, its members, its topology. Recordings of before topologies were kept have only two of them.
std::size_t pieces_of(const lockstep_ticket& ticket) {
  std::uint64_t bytes = 0;
  return is_solo() && lockstep_served_bytes(&ticket, 2, &bytes) != LOCKSTEP_SERVED ? 2 : 3;
}

void keep_made(const lockstep_ticket& ticket, MPI_Comm communicator) {
  if (!keeps_payload() || ticket.communicator == 0) return;
  const std::size_t count = pieces_of(ticket);
  if (communicator == handles.null_communicator) {
    const Made nobody;
    const lockstep_piece pieces[3] = {{&nobody, sizeof nobody}, {nullptr, 0}, {nullptr, 0}};
    keep_pieces(ticket, pieces, count);
    return;
  }
  const Made made{rank_in(communicator), size_of(communicator)};
  const Topology topology(communicator);
  LocalArray<int> members(made.size);
  const bool is_listed = members.data() != nullptr && list_members(communicator, made.size, members.data());
  const lockstep_piece pieces[3] = {
      {&made, sizeof made},
      {members.data(), static_cast<std::size_t>(made.size) * sizeof(int)},
      {topology.numbers(), static_cast<std::size_t>(topology.count()) * sizeof(int)}};
  keep_pieces(ticket, is_listed ? pieces : nullptr, count);
}

// In a replay: a communicator of this process alone, with what is known of the recorded one.
int make_alone(MPI_Comm parent, MPI_Comm* communicator, const SoloCommunicator& recorded,
               const int* topology) {
  *communicator = handles.null_communicator;
  if (recorded.size == 0) return MPI_SUCCESS;
  const int result = real.Comm_dup(parent, communicator);
  if (result == MPI_SUCCESS && !add_solo_communicator(*communicator, recorded.rank, recorded.size,
                                                      recorded.members, topology, recorded.topology_count)) {
    leave_replay("too many communicators");
  }
  return result;
}

// What a program attached to a communicator, a duplicate has too.
bool is_duplicate(Function function) {
  return function == kComm_dup || function == kComm_dup_with_info;
}

int make_as_recorded(Function function, const lockstep_ticket& ticket, MPI_Comm parent,
                     MPI_Comm* communicator) {
  Made made;
  const std::size_t bytes = served_bytes(ticket, 1);
  const std::size_t count = pieces_of(ticket);
  const std::size_t topology_bytes = count < 3 ? 0 : served_bytes(ticket, 2);
  LocalArray<int> members(static_cast<int>(bytes / sizeof(int)));
  LocalArray<int> topology(static_cast<int>(topology_bytes / sizeof(int)));
  if (members.data() == nullptr || topology.data() == nullptr) leave_replay("no memory");
  const lockstep_room rooms[3] = {
      {&made, sizeof made}, {members.data(), bytes}, {topology.data(), topology_bytes}};
  serve_rooms(ticket, rooms, count);
  return make_alone(is_duplicate(function) ? parent : handles.self, communicator,
                    {made.rank, made.size, members.data(), static_cast<int>(topology_bytes / sizeof(int))},
                    topology.data());
}

template <typename Call>
int create(Function function, const char* verb, MPI_Comm parent, MPI_Comm* made, Call call) {
  if (lockstep_is_recording() == 0) return call();
  const auto facts = collective_facts(function, LOCKSTEP_OPERATION_CreateCommunicator, parent, {},
                                      LOCKSTEP_REDUCE_OP_None, kNoRoot);
  const int number = next_creation(parent);
  lockstep_ticket ticket;
  lockstep_begin_call(&facts, &ticket);
  keep_given(ticket, {});
  const int result = is_solo() ? make_as_recorded(function, ticket, parent, made) : call();
  finish(ticket, result);
  if (result != MPI_SUCCESS) return result;
  add_communicator(*made, parent, verb, number);
  keep_made(ticket, *made);
  return result;
}

int wrap_Comm_dup(MPI_Comm parent, MPI_Comm* made) {
  return create(kComm_dup, "dup", parent, made, [&] { return real.Comm_dup(parent, made); });
}

int wrap_Comm_dup_with_info(MPI_Comm parent, MPI_Info info, MPI_Comm* made) {
  return create(kComm_dup_with_info, "dup", parent, made,
                [&] { return real.Comm_dup_with_info(parent, info, made); });
}

int wrap_Comm_split(MPI_Comm parent, int color, int key, MPI_Comm* made) {
  return create(kComm_split, "split", parent, made,
                [&] { return real.Comm_split(parent, color, key, made); });
}

int wrap_Comm_split_type(MPI_Comm parent, int type, int key, MPI_Info info, MPI_Comm* made) {
  return create(kComm_split_type, "split", parent, made,
                [&] { return real.Comm_split_type(parent, type, key, info, made); });
}

int wrap_Comm_create(MPI_Comm parent, MPI_Group group, MPI_Comm* made) {
  return create(kComm_create, "create", parent, made, [&] { return real.Comm_create(parent, group, made); });
}

int wrap_Cart_create(MPI_Comm parent, int dimensions, const int* sizes, const int* periods, int reorder,
                     MPI_Comm* made) {
  return create(kCart_create, "cart", parent, made,
                [&] { return real.Cart_create(parent, dimensions, sizes, periods, reorder, made); });
}

int wrap_Cart_sub(MPI_Comm parent, const int* remains, MPI_Comm* made) {
  return create(kCart_sub, "cart_sub", parent, made, [&] { return real.Cart_sub(parent, remains, made); });
}

int wrap_Graph_create(MPI_Comm parent, int nodes, const int* ends, const int* edges, int reorder,
                      MPI_Comm* made) {
  return create(kGraph_create, "graph", parent, made,
                [&] { return real.Graph_create(parent, nodes, ends, edges, reorder, made); });
}

int wrap_Dist_graph_create(MPI_Comm parent, int count, const int* sources, const int* degrees,
                           const int* destinations, const int* weights, MPI_Info info, int reorder,
                           MPI_Comm* made) {
  return create(kDist_graph_create, "graph", parent, made, [&] {
    return real.Dist_graph_create(parent, count, sources, degrees, destinations, weights, info, reorder,
                                  made);
  });
}

int wrap_Dist_graph_create_adjacent(MPI_Comm parent, int source_count, const int* sources,
                                    const int* source_weights, int destination_count, const int* destinations,
                                    const int* destination_weights, MPI_Info info, int reorder,
                                    MPI_Comm* made) {
  return create(kDist_graph_create_adjacent, "graph", parent, made, [&] {
    return real.Dist_graph_create_adjacent(parent, source_count, sources, source_weights, destination_count,
                                           destinations, destination_weights, info, reorder, made);
  });
}

// Its own rank in it, then all members.
void keep_chosen_group(MPI_Comm made) {
  if (!keeps_payload()) return;
  const int size = made == handles.null_communicator ? 0 : size_of(made);
  LocalArray<int> numbers(size + 1);
  if (numbers.data() == nullptr) return;
  numbers.data()[0] = size == 0 ? -1 : rank_in(made);
  if (size != 0 && !list_members(made, size, numbers.data() + 1)) return;
  keep_choice(Choice::kCreateGroup, numbers.data(), size + 1);
}

int make_chosen_group(MPI_Comm* made) {
  const bool is_next = !is_recorded_miss(Choice::kCreateGroup);
  const int count = is_next ? recorded_count() : 0;
  LocalArray<int> numbers(count);
  if (count < 1 || numbers.data() == nullptr) leave_replay("off the record: a group was made elsewhere");
  take_recorded(Choice::kCreateGroup, numbers.data(), count);
  return make_alone(handles.self, made, {numbers.data()[0], count - 1, numbers.data() + 1, 0}, nullptr);
}

// Collective over the group only, so the parent cannot count it: the tag and the members tell which it is.
int wrap_Comm_create_group(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm* made) {
  if (lockstep_is_recording() == 0) return real.Comm_create_group(parent, group, tag, made);
  const int result = is_solo() ? make_chosen_group(made) : real.Comm_create_group(parent, group, tag, made);
  if (result != MPI_SUCCESS) return result;
  add_communicator(*made, parent, "group", tag);
  if (!is_solo()) keep_chosen_group(*made);
  return result;
}

int wrap_Comm_free(MPI_Comm* communicator) {
  const MPI_Comm freed = *communicator;
  const int result = real.Comm_free(communicator);
  if (result == MPI_SUCCESS) forget_communicator(freed);
  if (result == MPI_SUCCESS && is_solo()) forget_solo_communicator(freed);
  return result;
}

int wrap_Comm_disconnect(MPI_Comm* communicator) {
  const MPI_Comm freed = *communicator;
  const int result = real.Comm_disconnect(communicator);
  if (result == MPI_SUCCESS) forget_communicator(freed);
  if (result == MPI_SUCCESS && is_solo()) forget_solo_communicator(freed);
  return result;
}

}  // namespace

void fill_communicator_calls(AnyFunction* table) {
  LOCKSTEP_FILL(Comm_dup)
  LOCKSTEP_FILL(Comm_dup_with_info)
  LOCKSTEP_FILL(Comm_split)
  LOCKSTEP_FILL(Comm_split_type)
  LOCKSTEP_FILL(Comm_create)
  LOCKSTEP_FILL(Comm_create_group)
  LOCKSTEP_FILL(Cart_create)
  LOCKSTEP_FILL(Cart_sub)
  LOCKSTEP_FILL(Graph_create)
  LOCKSTEP_FILL(Dist_graph_create)
  LOCKSTEP_FILL(Dist_graph_create_adjacent)
  LOCKSTEP_FILL(Comm_free)
  LOCKSTEP_FILL(Comm_disconnect)
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
