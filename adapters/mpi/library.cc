#include "library.h"

#include <cstddef>
#include <dlfcn.h>
#include <initializer_list>
#include <limits.h>
#include <link.h>
#include <string.h>

namespace lockstep::adapters::mpi {
namespace {

constexpr const char* kRealNames[] = {
#define LOCKSTEP_MPI_NAME(name, arguments) "PMPI_" #name,
    LOCKSTEP_MPI_FUNCTIONS(LOCKSTEP_MPI_NAME)
#undef LOCKSTEP_MPI_NAME
};

struct Found {
  char path[PATH_MAX];
  bool is_found;
};

// libmpi.so.40 (Open MPI), libmpi.so.12 (Intel, MVAPICH), libmpich.so.12 (Debian's MPICH); not libmpi_cxx.so.
bool is_mpi(const char* path) {
  const char* slash = ::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  return ::strncmp(name, "libmpi.so", 9) == 0 || ::strncmp(name, "libmpich.so", 11) == 0;
}

int look_at(dl_phdr_info* object, std::size_t, void* result) {
  auto* found = static_cast<Found*>(result);
  if (object->dlpi_name == nullptr || !is_mpi(object->dlpi_name)) return 0;
  if (::strlen(object->dlpi_name) >= sizeof found->path) return 0;
  ::strcpy(found->path, object->dlpi_name);
  found->is_found = true;
  return 1;
}

// What the library says it is. Intel MPI, MVAPICH and Cray's MPI have the binary interface of MPICH.
Abi abi_of(const Library& library) {
  using GetLibraryVersion = int (*)(char*, int*);
  const auto ask = reinterpret_cast<GetLibraryVersion>(find_symbol(library, "PMPI_Get_library_version"));
  if (ask == nullptr) return Abi::kUnknown;
  char text[8192 + 1] = {};
  int length = 0;
  if (ask(text, &length) != 0) return Abi::kUnknown;
  if (::strstr(text, "Open MPI") != nullptr) return Abi::kOpenMpi;
  for (const char* word : {"MPICH", "Intel(R) MPI", "MVAPICH"}) {
    if (::strstr(text, word) != nullptr) return Abi::kMpich;
  }
  return Abi::kUnknown;
}

}  // namespace

void* find_symbol(const Library& library, const char* name) {
  return ::dlsym(library.handle != nullptr ? library.handle : RTLD_NEXT, name);
}

void* find_variable(const Library& library, const char* name) {
  void* place = ::dlsym(RTLD_DEFAULT, name);
  return place != nullptr ? place : find_symbol(library, name);
}

AnyFunction find_real(const Library& library, Function function) {
  return reinterpret_cast<AnyFunction>(find_symbol(library, kRealNames[function]));
}

const char* name_of(Function function) {
  return kRealNames[function] + 1;
}

Library find_library() {
  Found found{};
  ::dl_iterate_phdr(look_at, &found);
  Library library;
  if (found.is_found) library.handle = ::dlopen(found.path, RTLD_LAZY | RTLD_NOLOAD);
  library.abi = abi_of(library);
  return library;
}

}  // namespace lockstep::adapters::mpi
