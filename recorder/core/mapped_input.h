// A file mapped to be read, for as long as the process lives.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::recorder {

struct MappedInput {
  const char* data = nullptr;
  std::uint64_t bytes = 0;
};

// 0 or an errno; an empty file is EBADMSG. On an error `file` stays as it was.
int map_input(const char* path, MappedInput& file);

// Has the disk bring what lies behind `from` while what lies before it is used. `fetched` is how far that was
// asked for already; one for each file, 0 at first. From any thread.
void fetch_ahead(const MappedInput& file, std::uint64_t from, std::atomic<std::uint64_t>& fetched);

}  // namespace lockstep::recorder
