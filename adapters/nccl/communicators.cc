#include "communicators.h"

#include <atomic>
#include <stdio.h>
#include <string.h>

#include "library.h"

namespace lockstep::adapters::nccl {
namespace {

constexpr std::size_t kSlots = 4096;
constexpr std::size_t kMostProbes = 256;
constexpr std::uintptr_t kBusy = 1;

struct Entry {
  std::atomic<std::uintptr_t> key;  // the communicator's address; 0: free
  std::atomic<std::uint32_t> id;    // 0: not defined yet
  std::atomic<std::uint32_t> children;
  std::atomic<bool> is_shared;  // the process holds another member of it
  Name name;
};
Entry entries[kSlots];
std::atomic<std::uint32_t> entry_count;

std::size_t slot_of(std::uintptr_t key, std::size_t probe) {
  return ((key * LOCKSTEP_CHECK_FACTOR >> 40) + probe) % kSlots;
}

Entry* find(Communicator communicator) {
  const auto key = reinterpret_cast<std::uintptr_t>(communicator);
  if (key == 0) return nullptr;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Entry& entry = entries[slot_of(key, probe)];
    if (entry.key.load(std::memory_order_acquire) == key) return &entry;
  }
  return nullptr;
}

void remove(Entry& entry) {
  entry.key.store(0, std::memory_order_release);
  entry_count.fetch_sub(1, std::memory_order_relaxed);
}

// FNV-1a: the ids are random, any hash tells them apart.
std::uint64_t hash_of(const char* bytes, std::size_t count, std::uint64_t hash) {
  for (std::size_t i = 0; i < count; ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001B3ULL;
  }
  return hash;
}

// True when another entry has the name: both are members of one communicator.
bool mark_shared(const Entry& added) {
  bool is_shared = false;
  for (Entry& other : entries) {
    if (&other == &added || other.key.load(std::memory_order_acquire) <= kBusy) continue;
    if (::strcmp(other.name.text, added.name.text) != 0) continue;
    other.is_shared.store(true, std::memory_order_relaxed);
    is_shared = true;
  }
  return is_shared;
}

// The first call of a communicator is its making. Of one that was made of another it is told here, over
// already: it says who is in it, also of a rank that never uses it.
void tell_made(std::uint32_t id) {
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = id;
  facts.operation = LOCKSTEP_OPERATION_CreateCommunicator;
  facts.peer = -1;
  lockstep_ticket ticket;
  lockstep_begin_call(&facts, &ticket);
  lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
}

std::uint32_t define_when_ready(Communicator communicator, const Name& name) {
  int size = 0;
  int rank = -1;
  if (real().CommCount == nullptr || real().CommCount(communicator, &size) != kSuccess) return 0;
  if (real().CommUserRank == nullptr || real().CommUserRank(communicator, &rank) != kSuccess) return 0;
  const std::uint32_t id = define_communicator({name, size, rank, nullptr});
  tell_made(id);
  return id;
}

}  // namespace

Name name_of_ids(const UniqueId* ids, int count) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (int i = 0; i < count; ++i) hash = hash_of(ids[i].bytes, sizeof ids[i].bytes, hash);
  return name_of_hash(hash);
}

Name name_of_hash(std::uint64_t hash) {
  Name name{};
  ::snprintf(name.text, sizeof name.text, "nccl %016llx", static_cast<unsigned long long>(hash));
  return name;
}

std::uint32_t define_communicator(const Made& made) {
  lockstep_communicator_facts facts{};
  facts.size = sizeof facts;
  facts.member_count = static_cast<std::uint32_t>(made.size);
  facts.rank_in_it = made.rank;
  facts.name = made.name.text;
  facts.description = made.description;
  facts.backend = "nccl";
  return lockstep_define_communicator(&facts);
}

void add_communicator(Communicator communicator, const Name& name, std::uint32_t id) {
  if (Entry* old = find(communicator)) remove(*old);  // freed behind our back
  const auto key = reinterpret_cast<std::uintptr_t>(communicator);
  if (key <= kBusy) return;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Entry& entry = entries[slot_of(key, probe)];
    std::uintptr_t free = 0;
    if (!entry.key.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) continue;
    entry.id.store(id, std::memory_order_relaxed);
    entry.children.store(0, std::memory_order_relaxed);
    entry.name = name;
    entry.is_shared.store(mark_shared(entry), std::memory_order_relaxed);
    entry_count.fetch_add(1, std::memory_order_relaxed);
    entry.key.store(key, std::memory_order_release);
    return;
  }
}

void forget_communicator(Communicator communicator) {
  if (Entry* entry = find(communicator)) remove(*entry);
}

std::uint32_t communicator_id(Communicator communicator) {
  Entry* entry = find(communicator);
  if (entry == nullptr || entry->is_shared.load(std::memory_order_relaxed)) return 0;
  std::uint32_t id = entry->id.load(std::memory_order_relaxed);
  if (id == 0) {
    id = define_when_ready(communicator, entry->name);
    entry->id.store(id, std::memory_order_relaxed);
  }
  return id;
}

bool name_of_child(Communicator parent, const char* verb, int color, Name& name) {
  Entry* entry = find(parent);
  if (entry == nullptr) return false;
  const std::uint32_t number = entry->children.fetch_add(1, std::memory_order_relaxed) + 1;
  const int length = color < 0
                         ? ::snprintf(name.text, sizeof name.text, "%s/%s %u", entry->name.text, verb, number)
                         : ::snprintf(name.text, sizeof name.text, "%s/%s %u color %d", entry->name.text,
                                      verb, number, color);
  return length > 0 && static_cast<std::size_t>(length) < sizeof name.text;
}

bool has_no_communicators() {
  return entry_count.load(std::memory_order_relaxed) == 0;
}

}  // namespace lockstep::adapters::nccl
