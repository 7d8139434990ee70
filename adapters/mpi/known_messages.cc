#include "known_messages.h"

#include <atomic>

#include "solo.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr std::size_t kMost = 1024;
constexpr std::uint64_t kBusy = 1;
constexpr int kFirstNumber = 0x7d000000;

struct Slot {
  std::atomic<std::uint64_t> key;  // 0: free
  KnownMessage known;
};
Slot slots[kMost];

template <typename Handle = MPI_Message>
Handle handle_of(std::size_t place) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(&slots[place]);
  } else {
    return static_cast<Handle>(kFirstNumber + static_cast<int>(place));
  }
}

// Null: there is no room.
Slot* take_slot() {
  for (Slot& slot : slots) {
    std::uint64_t free = 0;
    if (slot.key.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) return &slot;
  }
  return nullptr;
}

void fill(Slot& slot, std::uint64_t key, const KnownMessage& known) {
  slot.known = known;
  slot.key.store(key, std::memory_order_release);
}

}  // namespace

void remember_message(MPI_Message message, const KnownMessage& known) {
  if (Slot* slot = take_slot()) fill(*slot, key_of(message), known);
}

MPI_Message make_solo_message(const KnownMessage& known) {
  Slot* const slot = take_slot();
  if (slot == nullptr) leave_replay("too many messages were found and not received");
  const MPI_Message message = handle_of(static_cast<std::size_t>(slot - slots));
  fill(*slot, key_of(message), known);
  return message;
}

bool take_message(MPI_Message message, KnownMessage* known) {
  const std::uint64_t key = key_of(message);
  for (Slot& slot : slots) {
    if (slot.key.load(std::memory_order_acquire) != key) continue;
    *known = slot.known;
    slot.key.store(0, std::memory_order_release);
    return true;
  }
  return false;
}

int number_of_message(MPI_Message message) {
  for (std::size_t i = 0; i < kMost; ++i) {
    if (message == handle_of(i)) return kFirstNumber + static_cast<int>(i);
  }
  return 0;
}

MPI_Message message_of_fortran(int number) {
  const int place = number - kFirstNumber;
  return place >= 0 && place < static_cast<int>(kMost) ? handle_of(static_cast<std::size_t>(place))
                                                       : MPI_Message{};
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
