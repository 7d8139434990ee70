// Files in memory that somebody may cut while they are read: a log that is rotated, a job that is started
// again. The kernel answers a look behind the new end with SIGBUS; here the bytes that are gone become zeros
// and the look goes on. Copying would be safe as well, and would keep gigabytes of logs in memory.
#pragma once

#include <cstddef>

namespace lockstep::base {

// Read-only. `offset` is a multiple of the page size. Null: errno says why. One process may have 65,530
// mappings of every kind; this is refused long before that, so that whoever maps many files can copy some.
void* map_guarded(int fd, std::size_t offset, std::size_t bytes);

void unmap_guarded(void* place, std::size_t bytes);

// Whether some of it was found to be gone.
bool has_shrunk(const void* place);

}  // namespace lockstep::base
