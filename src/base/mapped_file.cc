#include "base/mapped_file.h"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::base {
namespace {

#ifndef MADV_POPULATE_READ
constexpr int MADV_POPULATE_READ = 22;  // Linux 5.14; older kernels refuse it and pages come one by one
#endif

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

void fetch_pages(std::string_view part) {
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data()) / page_size() * page_size();
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size());
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
}

void forget_pages(std::string_view part) {
  const auto begin =
      (reinterpret_cast<std::uintptr_t>(part.data()) + page_size() - 1) / page_size() * page_size();
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) / page_size() * page_size();
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace lockstep::base
