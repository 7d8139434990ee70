// _dl_find_object (2.35), by which GCC's unwinder finds the table of the code at an address.
#include "calls.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

// struct dl_find_object of glibc 2.35, under a name of ours: newer headers have it too.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  void* link_map;
  void* eh_frame;
  unsigned long long reserved[7];
};

struct Search {
  uintptr_t address;
  struct FoundObject* found;
};

static int look_at(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct Search* const search = data;
  uintptr_t table = 0;
  int is_it = 0;
  for (int at = 0; at < info->dlpi_phnum; ++at) {
    const ElfW(Phdr)* const header = &info->dlpi_phdr[at];
    const uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) table = begin;
    if (header->p_type == PT_LOAD && search->address >= begin && search->address < begin + header->p_memsz) {
      is_it = 1;
      search->found->map_start = (void*)begin;
      search->found->map_end = (void*)(begin + header->p_memsz);
    }
  }
  if (!is_it || table == 0) return is_it;
  search->found->eh_frame = (void*)table;
  return 2;
}

NEWER_CALL int find_object(void* address, struct FoundObject* result) __asm__("_dl_find_object");
int find_object(void* address, struct FoundObject* result) {
  *result = (struct FoundObject){0};
  struct Search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look_at, &search) == 2 ? 0 : -1;
}
