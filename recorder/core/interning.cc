#include "interning.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "lockstep/record_format.h"

namespace lockstep::recorder {
namespace {

// The key begins at an odd half word, so it is summed from the word before, with the id left out.
std::uint64_t hash_of(std::uint8_t type, const char* record, std::size_t length) {
  std::uint32_t first = 0;
  ::memcpy(&first, record + kDefinitionKeyOffset, sizeof first);
  const std::uint64_t seed = (std::uint64_t{type} << 32 | first) + length * LOCKSTEP_CHECK_FACTOR;
  const std::uint64_t sum = lockstep_words_check(record + 16, length / 8 - 2, seed);
  return (sum ^ sum >> 31) * LOCKSTEP_CHECK_FACTOR;
}

std::uint64_t head_without_check(std::uint8_t type, std::size_t length) {
  return length | std::uint64_t{type} << 16 | std::uint64_t{LOCKSTEP_RECORD_MAGIC} << 24;
}

bool is_equal(const char* known, std::uint8_t type, const char* record, std::size_t length) {
  std::uint64_t head = 0;
  ::memcpy(&head, known, sizeof head);
  const bool same_kind = (head & 0xFFFFFFFF) == head_without_check(type, length);
  return same_kind && ::memcmp(known + kDefinitionKeyOffset, record + kDefinitionKeyOffset,
                               length - kDefinitionKeyOffset) == 0;
}

std::uint32_t id_at(const char* record) {
  std::uint32_t id = 0;
  ::memcpy(&id, record + 8, sizeof id);
  return id;
}

}  // namespace

int Interning::create() {
  void* place =
      ::mmap(nullptr, kCapacity * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return errno;
  ::madvise(place, kCapacity * sizeof(Slot), MADV_DONTFORK);
  slots_ = static_cast<Slot*>(place);
  return 0;
}

void Interning::destroy() {
  if (slots_ != nullptr) ::munmap(slots_, kCapacity * sizeof(Slot));
  slots_ = nullptr;
  count_ = 0;
}

std::uint32_t Interning::find(std::uint8_t type, const char* record, std::size_t length) const {
  for (std::size_t i = hash_of(type, record, length);; ++i) {
    const char* known = slots_[i % kCapacity].load(std::memory_order_acquire);
    if (known == nullptr) return 0;
    if (is_equal(known, type, record, length)) return id_at(known);
  }
}

void Interning::insert(std::uint8_t type, const char* record, std::size_t length) {
  std::size_t i = hash_of(type, record, length);
  while (slots_[i % kCapacity].load(std::memory_order_relaxed) != nullptr) ++i;
  slots_[i % kCapacity].store(record, std::memory_order_release);
  ++count_;
}

}  // namespace lockstep::recorder
