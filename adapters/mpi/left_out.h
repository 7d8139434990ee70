// Libraries whose own MPI calls are not recorded, because another adapter tells what they mean. Horovod's are
// one: a thread of its own exchanges messages a thousand times a second, and what it does by them differs
// with timing.
#pragma once

#include <atomic>

namespace lockstep::adapters::mpi {

// Where the code of such a library lies; both are null while there is none.
struct LeftOut {
  std::atomic<const char*> begin{nullptr};
  std::atomic<const char*> end{nullptr};

  bool holds(const void* address) const {
    return address < end.load(std::memory_order_relaxed) && address >= begin.load(std::memory_order_relaxed);
  }
};
extern LeftOut left_out;

}  // namespace lockstep::adapters::mpi
