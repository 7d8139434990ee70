#include "fortran_library.h"

#include <cstddef>
#include <link.h>
#include <string.h>

namespace lockstep::adapters::mpi {
namespace {

// Open MPI: mpif.h, then the modules mpi and mpi_f08; MPICH, as Debian and as others call it.
constexpr const char* kNames[] = {"libmpi_mpifh.so", "libmpi_usempi", "libmpichfort.so", "libmpifort.so"};

struct Piece {
  const char* begin;
  const char* end;
};
constexpr std::size_t kMost = 8;
Piece pieces[kMost];
std::size_t used;

bool has_name(const char* path) {
  const char* const slash = path == nullptr ? nullptr : ::strrchr(path, '/');
  if (slash == nullptr) return false;
  for (const char* name : kNames) {
    if (::strncmp(slash + 1, name, ::strlen(name)) == 0) return true;
  }
  return false;
}

int look_at(dl_phdr_info* object, std::size_t, void*) {
  if (!has_name(object->dlpi_name)) return 0;
  for (int at = 0; at < object->dlpi_phnum && used < kMost; ++at) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[at];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const auto* begin = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    pieces[used++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

}  // namespace

void find_fortran_library() {
  used = 0;
  ::dl_iterate_phdr(look_at, nullptr);
}

bool is_fortran_library(const void* code) {
  for (std::size_t i = 0; i < used; ++i) {
    if (code >= pieces[i].begin && code < pieces[i].end) return true;
  }
  return false;
}

}  // namespace lockstep::adapters::mpi
