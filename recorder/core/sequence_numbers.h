// Counts the calls of each communicator (collectives) and of each communicator, peer and direction (sends
// and receives). No lock: a new key takes the first free place of a table that only grows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::recorder {

class SequenceNumbers {
 public:
  int create();  // 0 or an errno

  // The next number of this key, from 1; 0 when the table is full.
  std::uint64_t next(std::uint32_t communicator, std::int32_t peer, std::uint8_t direction);

 private:
  static constexpr std::size_t kCapacity = std::size_t{1} << 17;

  struct Counter {
    std::atomic<std::uint64_t> key;  // 0: free
    std::atomic<std::uint64_t> count;
  };
  Counter* counters_ = nullptr;
};

}  // namespace lockstep::recorder
