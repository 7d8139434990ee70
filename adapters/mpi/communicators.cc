#include "communicators.h"

#include <atomic>
#include <stdio.h>
#include <string.h>

#include "lockstep/recorder.h"

#include "handles.h"
#include "local_array.h"
#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr std::size_t kSlots = 4096;
constexpr std::size_t kMostProbes = 64;
constexpr std::uint64_t kBusy = 1;  // being filled in; no handle has this value
constexpr std::size_t kNameBytes = 160;

struct Entry {
  std::atomic<std::uint64_t> key;  // 0: free
  std::atomic<std::uint32_t> id;   // 0: not defined yet
  std::atomic<std::uint32_t> creations;
  bool is_recorded;
  char name[kNameBytes];
};
Entry entries[kSlots];

std::size_t slot_of(std::uint64_t key, std::size_t probe) {
  return ((key * LOCKSTEP_CHECK_FACTOR >> 40) + probe) % kSlots;
}

// Entries are removed, so a free place says nothing about those behind it: all probes are looked at.
Entry* find(MPI_Comm communicator) {
  const std::uint64_t key = key_of(communicator);
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Entry& entry = entries[slot_of(key, probe)];
    if (entry.key.load(std::memory_order_acquire) == key) return &entry;
  }
  return nullptr;
}

Entry* add(MPI_Comm communicator, const char* name) {
  const std::uint64_t key = key_of(communicator);
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Entry& entry = entries[slot_of(key, probe)];
    std::uint64_t free = 0;
    if (!entry.key.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) continue;
    int is_inter = 0;
    real.Comm_test_inter(communicator, &is_inter);
    entry.is_recorded = is_inter == 0;
    entry.id.store(0, std::memory_order_relaxed);
    entry.creations.store(0, std::memory_order_relaxed);
    ::strcpy(entry.name, name);
    entry.key.store(key, std::memory_order_release);
    return &entry;
  }
  return nullptr;
}

bool ask_members(MPI_Comm communicator, int size, int* members, int* own_ranks) {
  MPI_Group group{};
  MPI_Group world{};
  if (real.Comm_group(communicator, &group) != MPI_SUCCESS) return false;
  if (real.Comm_group(handles.world, &world) != MPI_SUCCESS) {
    real.Group_free(&group);
    return false;
  }
  for (int i = 0; i < size; ++i) own_ranks[i] = i;
  const bool is_listed = real.Group_translate_ranks(group, size, own_ranks, world, members) == MPI_SUCCESS;
  real.Group_free(&group);
  real.Group_free(&world);
  return is_listed;
}

std::uint32_t define(MPI_Comm communicator, const char* name, const char* description) {
  const int size = size_of(communicator);
  if (size <= 0) return 0;
  LocalArray<int> members(size);
  const bool has_members = members.data() != nullptr && list_members(communicator, size, members.data());
  lockstep_communicator_facts facts{};
  facts.size = sizeof facts;
  facts.member_count = static_cast<std::uint32_t>(size);
  facts.members = has_members ? members.data() : nullptr;
  facts.rank_in_it = rank_in(communicator);
  facts.name = name;
  facts.description = description;
  facts.backend = "mpi";
  return lockstep_define_communicator(&facts);
}

// With what the program calls it, unless that is MPI's own name for it.
std::uint32_t define_communicator(MPI_Comm communicator, const char* name) {
  char given[MPI_MAX_OBJECT_NAME + 1] = {};
  int bytes = 0;
  real.Comm_get_name(communicator, given, &bytes);
  const bool is_given = ::strncmp(given, "MPI_", 4) != 0 && ::strncmp(given, "MPI COMM", 8) != 0;
  return define(communicator, name, is_given ? given : nullptr);
}

struct Channel {
  std::atomic<std::uint64_t> key;  // communicator's id and tag
  std::atomic<std::uint32_t> id;
};
constexpr std::size_t kChannels = 1024;
constexpr std::uint32_t kMostChannels = 512;
Channel channels[kChannels];
std::atomic<std::uint32_t> channel_count;

// Its place in the table, taken when it is new; null when there are too many.
Channel* find_channel(std::uint64_t key) {
  for (std::size_t probe = 0; probe < kChannels; ++probe) {
    Channel& channel = channels[((key * LOCKSTEP_CHECK_FACTOR >> 40) + probe) % kChannels];
    std::uint64_t known = channel.key.load(std::memory_order_acquire);
    if (known == key) return &channel;
    if (known != 0) continue;
    if (channel_count.load(std::memory_order_relaxed) >= kMostChannels) return nullptr;
    if (channel.key.compare_exchange_strong(known, key, std::memory_order_acq_rel)) {
      channel_count.fetch_add(1, std::memory_order_relaxed);
      return &channel;
    }
    if (known == key) return &channel;
  }
  return nullptr;
}

}  // namespace

int rank_in(MPI_Comm communicator) {
  if (const SoloCommunicator* solo = find_solo_communicator(communicator)) return solo->rank;
  int rank = -1;
  real.Comm_rank(communicator, &rank);
  return rank;
}

int size_of(MPI_Comm communicator) {
  if (const SoloCommunicator* solo = find_solo_communicator(communicator)) return solo->size;
  int size = 0;
  return real.Comm_size(communicator, &size) == MPI_SUCCESS ? size : 0;
}

// MPI_COMM_SELF is the one that a replay has not recorded.
bool list_members(MPI_Comm communicator, int size, int* members) {
  const SoloCommunicator* const solo = find_solo_communicator(communicator);
  if (solo != nullptr) ::memcpy(members, solo->members, static_cast<std::size_t>(size) * sizeof *members);
  if (is_solo() && solo == nullptr && size == 1) members[0] = recorded_rank();
  if (is_solo()) return solo != nullptr || size == 1;
  LocalArray<int> own_ranks(size);
  return own_ranks.data() != nullptr && ask_members(communicator, size, members, own_ranks.data());
}

std::uint32_t communicator_id(MPI_Comm communicator) {
  Entry* entry = find(communicator);
  // One that was made by a function that is not wrapped: its members alone tell which it is.
  if (entry == nullptr) entry = add(communicator, "MPI communicator");
  if (entry == nullptr || !entry->is_recorded) return 0;
  std::uint32_t id = entry->id.load(std::memory_order_relaxed);
  if (id == 0) {
    id = define_communicator(communicator, entry->name);  // two threads at once get the same
    entry->id.store(id, std::memory_order_relaxed);
  }
  return id;
}

std::uint32_t channel_id(MPI_Comm communicator, int tag) {
  const std::uint32_t id = communicator_id(communicator);
  const Entry* entry = find(communicator);
  if (id == 0 || entry == nullptr) return 0;
  Channel* channel = find_channel(std::uint64_t{id} << 32 | static_cast<std::uint32_t>(tag));
  if (channel == nullptr) return 0;
  std::uint32_t known = channel->id.load(std::memory_order_relaxed);
  if (known == 0) {
    char name[kNameBytes + 32];
    ::snprintf(name, sizeof name, "%s tag %d", entry->name, tag);
    known = define(communicator, name, nullptr);
    channel->id.store(known, std::memory_order_relaxed);
  }
  return known;
}

void add_world() {
  add(handles.world, "MPI_COMM_WORLD");
}

int next_creation(MPI_Comm parent) {
  communicator_id(parent);
  Entry* entry = find(parent);
  return entry == nullptr ? 0
                          : static_cast<int>(entry->creations.fetch_add(1, std::memory_order_relaxed)) + 1;
}

void add_communicator(MPI_Comm made, MPI_Comm parent, const char* verb, int number) {
  if (made == handles.null_communicator) return;
  const Entry* entry = find(parent);
  char name[kNameBytes];
  const char* parent_name = entry == nullptr ? "MPI communicator" : entry->name;
  const int length = ::snprintf(name, sizeof name, "%s/%s %d", parent_name, verb, number);
  const bool fits = length > 0 && static_cast<std::size_t>(length) < sizeof name;
  if (Entry* old = find(made)) old->key.store(0, std::memory_order_release);  // freed behind our back
  add(made, fits ? name : "MPI communicator, deeply nested");
}

void forget_communicator(MPI_Comm communicator) {
  if (Entry* entry = find(communicator)) entry->key.store(0, std::memory_order_release);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
