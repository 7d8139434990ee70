// The random bytes that a recorded rank took from the system, to be taken again in a replay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mapped_input.h"

namespace lockstep::recorder {

class RecordedEntropy {
 public:
  // `path` is that of part 0. Without it nothing is known.
  void open(const char* path);

  // The next ones of that length that a thread of this kind took; false when there are no more.
  bool take(void* to, std::size_t bytes, bool is_main_thread);

 private:
  MappedInput file_;
  std::uint64_t next_[2] = {0, 0};  // by the kind of thread
};

}  // namespace lockstep::recorder
