#include "sequence_numbers.h"

#include <errno.h>
#include <sys/mman.h>

#include "lockstep/record_format.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kMostProbes = 512;

// Ids of definitions need 17 bits, so all three have room.
std::uint64_t key_of(std::uint32_t communicator, std::int32_t peer, std::uint8_t direction) {
  const auto peer_bits = static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer));
  return std::uint64_t{communicator} << 40 | peer_bits << 8 | direction;
}

}  // namespace

int SequenceNumbers::create() {
  void* place = ::mmap(nullptr, kCapacity * sizeof(Counter), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return errno;
  ::madvise(place, kCapacity * sizeof(Counter), MADV_DONTFORK);
  counters_ = static_cast<Counter*>(place);
  return 0;
}

std::uint64_t SequenceNumbers::next(std::uint32_t communicator, std::int32_t peer, std::uint8_t direction) {
  const std::uint64_t key = key_of(communicator, peer, direction);
  const std::uint64_t hash = key * LOCKSTEP_CHECK_FACTOR;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Counter& counter = counters_[((hash >> 32) + probe) % kCapacity];
    std::uint64_t known = counter.key.load(std::memory_order_relaxed);
    if (known == 0) counter.key.compare_exchange_strong(known, key, std::memory_order_relaxed);
    if (known == 0 || known == key) return counter.count.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  return 0;
}

}  // namespace lockstep::recorder
