#include "solo_groups.h"

#include <sys/mman.h>

#include "handles.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr std::size_t kMost = 1024;

SoloGroup groups[kMost];

// A group of MPI's own that nobody else has: languages convert handles by looking into what they stand for.
bool make_handle(MPI_Group* handle) {
  const int first = 0;
  MPI_Group alone{};
  if (real.Comm_group(handles.self, &alone) != MPI_SUCCESS) return false;
  const bool is_made = real.Group_incl(alone, 1, &first, handle) == MPI_SUCCESS;
  real.Group_free(&alone);
  return is_made;
}

}  // namespace

SoloGroup* find_group(MPI_Group handle) {
  for (SoloGroup& group : groups) {
    if (group.members != nullptr && group.handle == handle) return &group;
  }
  return nullptr;
}

SoloGroup* make_group(int room, MPI_Group* handle) {
  for (SoloGroup& group : groups) {
    if (group.members != nullptr) continue;
    const std::size_t bytes = static_cast<std::size_t>(room + 1) * sizeof(int);
    void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED || !make_handle(handle)) break;
    group = {static_cast<int*>(place), 0, room, *handle};
    return &group;
  }
  leave_replay("too many groups");
}

int place_in(const SoloGroup& group, int member) {
  for (int i = 0; i < group.size; ++i) {
    if (group.members[i] == member) return i;
  }
  return MPI_UNDEFINED;
}

bool holds(const SoloGroup& group, int member) {
  return place_in(group, member) != MPI_UNDEFINED;
}

void append(SoloGroup& group, int member) {
  group.members[group.size++] = member;
}

Ours::Ours(MPI_Group handle) : group(as_ours(handle)) {}

const SoloGroup& Ours::as_ours(MPI_Group handle) {
  if (const SoloGroup* known = find_group(handle)) return *known;
  int size = 0;
  real.Group_size(handle, &size);
  room_[0] = recorded_rank();
  own_ = {room_, size > 0 ? 1 : 0, 1, handle};
  return own_;
}

bool make_group_of(MPI_Comm communicator, MPI_Group* group) {
  const SoloCommunicator* const known = find_solo_communicator(communicator);
  if (known == nullptr) return false;
  SoloGroup& made = *make_group(known->size, group);
  for (int i = 0; i < known->size; ++i) append(made, known->members[i]);
  return true;
}

void compare_groups(MPI_Group one, MPI_Group other, int* result) {
  const Ours a(one);
  const Ours b(other);
  *result = a.group.size == b.group.size ? MPI_IDENT : MPI_UNEQUAL;
  for (int i = 0; i < a.group.size && *result != MPI_UNEQUAL; ++i) {
    if (a.group.members[i] == b.group.members[i]) continue;
    *result = holds(b.group, a.group.members[i]) ? MPI_SIMILAR : MPI_UNEQUAL;
  }
}

void free_group(MPI_Group* group) {
  if (SoloGroup* known = find_group(*group)) {
    real.Group_free(&known->handle);
    ::munmap(known->members, static_cast<std::size_t>(known->room + 1) * sizeof(int));
    *known = {};
  }
  *group = handles.null_group;
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
