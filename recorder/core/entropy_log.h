// Random bytes that a process took from the system, in their order, until it is known whether it is a rank.
// What does not fit is not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string.h>

#include "lockstep/payload_format.h"

namespace lockstep::recorder {

class EntropyLog {
 public:
  void add(const void* data, std::size_t bytes, bool is_main_thread) {
    const std::size_t needed = sizeof(lockstep_payload_entropy) + bytes;
    if (bytes > kMostBytes || used_ + needed > sizeof memory_) return;
    const lockstep_payload_entropy head{static_cast<std::uint32_t>(bytes), is_main_thread ? 1U : 0U};
    ::memcpy(memory_ + used_, &head, sizeof head);
    ::memcpy(memory_ + used_ + sizeof head, data, bytes);
    used_ += needed;
  }

  // Hands them on, oldest first, and forgets them.
  template <typename Take>
  void take(Take take) {
    for (std::size_t at = 0; at < used_;) {
      lockstep_payload_entropy head;
      ::memcpy(&head, memory_ + at, sizeof head);
      take(head, memory_ + at + sizeof head);
      at += sizeof head + head.bytes;
    }
    used_ = 0;
  }

 private:
  static constexpr std::size_t kMostBytes = 16384;  // of one call: more are no seeds

  char memory_[65536];
  std::size_t used_;
};

}  // namespace lockstep::recorder
