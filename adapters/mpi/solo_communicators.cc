// What communicators of a replay were like in the recorded run.
#include <string.h>
#include <sys/mman.h>

#include "handles.h"
#include "local_array.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr std::size_t kMost = 4096;

struct Slot {
  std::uint64_t key;  // 0: free
  SoloCommunicator communicator;
};
Slot slots[kMost];
std::size_t used;

Slot* slot_of(std::uint64_t key) {
  for (std::size_t i = 0; i < used; ++i) {
    if (slots[i].key == key) return &slots[i];
  }
  return nullptr;
}

std::size_t bytes_of(int size) {
  return static_cast<std::size_t>(size) * sizeof(int);
}

}  // namespace

bool add_solo_communicator(MPI_Comm communicator, int rank, int size, const int* members, const int* topology,
                           int topology_count) {
  Slot* slot = slot_of(0);
  if (slot == nullptr && used < kMost) slot = &slots[used++];
  if (slot == nullptr || size <= 0) return false;
  const std::size_t bytes = bytes_of(size + topology_count);
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  ::memcpy(place, members, bytes_of(size));
  if (topology_count > 0) ::memcpy(static_cast<int*>(place) + size, topology, bytes_of(topology_count));
  *slot = {key_of(communicator), {rank, size, static_cast<const int*>(place), topology_count}};
  return true;
}

bool add_solo_world() {
  const int size = recorded_world_size();
  if (size <= 0 || recorded_rank() < 0 || recorded_rank() >= size) return false;
  LocalArray<int> members(size);
  if (members.data() == nullptr) return false;
  for (int i = 0; i < size; ++i) members.data()[i] = i;
  return add_solo_communicator(handles.world, recorded_rank(), size, members.data());
}

const SoloCommunicator* find_solo_communicator(MPI_Comm communicator) {
  const Slot* const slot = slot_of(key_of(communicator));
  return slot == nullptr ? nullptr : &slot->communicator;
}

void forget_solo_communicator(MPI_Comm communicator) {
  Slot* const slot = slot_of(key_of(communicator));
  if (slot == nullptr) return;
  const SoloCommunicator& known = slot->communicator;
  ::munmap(const_cast<int*>(known.members), bytes_of(known.size + known.topology_count));
  *slot = {};
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
