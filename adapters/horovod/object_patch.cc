#include "object_patch.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::adapters::horovod {
namespace {

// What the dynamic section tells; addresses in it are absolute with glibc.
struct Dynamic {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of calls, and of all other places
  std::size_t bytes[2] = {};
};

Dynamic dynamic_of(const link_map& object) {
  Dynamic dynamic;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) dynamic.strings = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_SYMTAB) dynamic.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_JMPREL) dynamic.tables[0] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_PLTRELSZ) dynamic.bytes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) dynamic.tables[1] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_RELASZ) dynamic.bytes[1] = entry->d_un.d_val;
  }
  return dynamic;
}

bool is_pointer_to_function(const ElfW(Rela) & entry) {
#if defined(__x86_64__)
  return ELF64_R_TYPE(entry.r_info) == R_X86_64_JUMP_SLOT || ELF64_R_TYPE(entry.r_info) == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
  return ELF64_R_TYPE(entry.r_info) == R_AARCH64_JUMP_SLOT ||
         ELF64_R_TYPE(entry.r_info) == R_AARCH64_GLOB_DAT;
#else
  return false;
#endif
}

}  // namespace

void** imported_function(void* handle, const char* name_begin) {
  link_map* object = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &object) != 0 || object == nullptr) return nullptr;
  const Dynamic dynamic = dynamic_of(*object);
  if (dynamic.strings == nullptr || dynamic.symbols == nullptr) return nullptr;
  for (int table = 0; table < 2; ++table) {
    if (dynamic.tables[table] == nullptr) continue;
    const std::size_t count = dynamic.bytes[table] / sizeof(ElfW(Rela));
    for (std::size_t at = 0; at < count; ++at) {
      const ElfW(Rela)& entry = dynamic.tables[table][at];
      if (!is_pointer_to_function(entry)) continue;
      const char* name = dynamic.strings + dynamic.symbols[ELF64_R_SYM(entry.r_info)].st_name;
      if (std::strncmp(name, name_begin, std::strlen(name_begin)) != 0) continue;
      return reinterpret_cast<void**>(object->l_addr + entry.r_offset);
    }
  }
  return nullptr;
}

void** virtual_function(void** table, const void* function) {
  Dl_info object{};
  void* symbol = nullptr;
  if (table == nullptr || function == nullptr) return nullptr;
  if (::dladdr1(table, &object, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return nullptr;
  void** const end = table + static_cast<const ElfW(Sym)*>(symbol)->st_size / sizeof(void*);
  for (void** place = table; place < end; ++place) {
    if (*place == function) return place;
  }
  return nullptr;
}

// The page stays writable: whether it was, nothing short of reading the process's map tells.
bool replace(void** place, void* replacement) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto page = reinterpret_cast<std::uintptr_t>(place) & ~(page_bytes - 1);
  if (::mprotect(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE) != 0) return false;
  std::atomic_ref<void*>(*place).store(replacement, std::memory_order_release);
  return true;
}

}  // namespace lockstep::adapters::horovod
