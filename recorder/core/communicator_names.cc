#include "communicator_names.h"

#include <errno.h>
#include <sys/mman.h>

namespace lockstep::recorder {

int CommunicatorNames::create() {
  void* place = ::mmap(nullptr, kCapacity * sizeof *names_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return errno;
  ::madvise(place, kCapacity * sizeof *names_, MADV_DONTFORK);
  names_ = static_cast<std::atomic<std::uint64_t>*>(place);
  return 0;
}

bool CommunicatorNames::remember(std::uint32_t id, std::uint64_t name) {
  if (names_ == nullptr || id == 0 || id >= kCapacity) return false;
  return names_[id].exchange(name, std::memory_order_relaxed) == 0;
}

std::uint64_t CommunicatorNames::name(std::uint32_t id) const {
  return names_ == nullptr || id >= kCapacity ? 0 : names_[id].load(std::memory_order_relaxed);
}

}  // namespace lockstep::recorder
