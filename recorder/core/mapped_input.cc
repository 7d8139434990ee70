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

}  // namespace lockstep::recorder
