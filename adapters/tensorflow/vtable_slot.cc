#include "vtable_slot.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::tensorflow_adapter {
namespace {

// Of the page that holds the address; -1 when it is not mapped.
int protection_at(std::uintptr_t address) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return -1;
  int found = -1;
  char line[512];
  while (found < 0 && std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char allowed[5] = "";
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, allowed) != 3) continue;
    if (address < begin || address >= end) continue;
    found = (allowed[0] == 'r' ? PROT_READ : 0) | (allowed[1] == 'w' ? PROT_WRITE : 0) |
            (allowed[2] == 'x' ? PROT_EXEC : 0);
  }
  std::fclose(maps);
  return found;
}

}  // namespace

void* exchange_entry(void** entry, void* function) {
  const auto address = reinterpret_cast<std::uintptr_t>(entry);
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto* const page = reinterpret_cast<void*>(address & ~(page_bytes - 1));
  const int before = protection_at(address);
  if (before < 0 || ::mprotect(page, page_bytes, before | PROT_WRITE) != 0) return nullptr;
  void* const old = __atomic_exchange_n(entry, function, __ATOMIC_ACQ_REL);
  ::mprotect(page, page_bytes, before);
  return old;
}

}  // namespace lockstep::tensorflow_adapter
