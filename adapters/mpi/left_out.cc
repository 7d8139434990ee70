#include "left_out.h"

#include <cstddef>
#include <link.h>

#include "lockstep/recorder.h"

namespace lockstep::adapters::mpi {

constinit LeftOut left_out;

namespace {

// The piece of a loaded object that holds the code at an address.
int look_at(dl_phdr_info* object, std::size_t, void* address) {
  for (int at = 0; at < object->dlpi_phnum; ++at) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[at];
    const auto* begin = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const char* end = begin + segment.p_memsz;
    if (segment.p_type != PT_LOAD || address < begin || address >= end) continue;
    left_out.begin.store(begin, std::memory_order_relaxed);
    left_out.end.store(end, std::memory_order_relaxed);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace lockstep::adapters::mpi

// From now on what the library that has its code at `address` calls is not recorded, but for the start and
// the abort of MPI. For other adapters; found by name.
extern "C" LOCKSTEP_API void lockstep_mpi_leave_out(void* address) {
  ::dl_iterate_phdr(lockstep::adapters::mpi::look_at, address);
}
