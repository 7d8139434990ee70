// A file mapped to be read, for as long as the process lives.
#pragma once

#include <cstdint>

namespace lockstep::recorder {

struct MappedInput {
  const char* data = nullptr;
  std::uint64_t bytes = 0;
};

// 0 or an errno; an empty file is EBADMSG. On an error `file` stays as it was.
int map_input(const char* path, MappedInput& file);

}  // namespace lockstep::recorder
