#include "mapped_input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::recorder {

int map_input(const char* path, MappedInput& file) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct stat status {};
  void* place = MAP_FAILED;
  if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
    place = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  ::close(descriptor);
  if (place == MAP_FAILED) return EBADMSG;
  file = {static_cast<const char*>(place), static_cast<std::uint64_t>(status.st_size)};
  return 0;
}

void fetch_ahead(const MappedInput& file, std::uint64_t from, std::atomic<std::uint64_t>& fetched) {
  constexpr std::uint64_t kAhead = std::uint64_t{128} << 20;
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t known = fetched.load(std::memory_order_relaxed);
  if (from >= file.bytes || (known >= from && known - from > kAhead / 2)) return;
  const std::uint64_t begin = (known > from ? known : from) & ~(kPage - 1);
  const std::uint64_t wanted = from + kAhead;
  const std::uint64_t end = wanted < file.bytes ? wanted : file.bytes;
  fetched.store(wanted, std::memory_order_relaxed);
  if (begin < end) ::madvise(const_cast<char*>(file.data) + begin, end - begin, MADV_WILLNEED);
}

}  // namespace lockstep::recorder
