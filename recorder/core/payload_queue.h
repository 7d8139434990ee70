// The way of payload to the disk: training threads copy entries into memory, one thread of ours appends them
// to the file. A training thread never waits for the disk: an entry that finds no room is refused.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "lockstep/recorder.h"

namespace lockstep::recorder {

class PayloadQueue {
 public:
  // Makes the file, whose head is `head`, and starts the thread. 0 or an errno.
  int open(const char* path, const void* head, std::size_t head_bytes, std::size_t memory_bytes);

  // Appends one entry, made of its fixed part and pieces. Small ones find room when large ones no longer do.
  bool put(std::uint16_t type, const void* fixed, std::size_t fixed_bytes, const lockstep_piece* pieces,
           std::size_t count);

  // Waits until everything put so far is in the file, as long as that goes forward.
  void drain();

  // Of the file; 0 while all is well.
  int error() const { return error_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::atomic<std::uint64_t> is_ready;
    std::uint64_t bytes;  // with this; of a filler up to the end of the memory: the top bit is set
    std::uint64_t entry_bytes;
  };
  static constexpr std::uint64_t kFiller = std::uint64_t{1} << 63;
  static constexpr std::size_t kLarge = std::size_t{64} << 10;
  static constexpr std::size_t kKeptForSmall = std::size_t{4} << 20;

  Slot* reserve(std::size_t entry_bytes);
  Slot* slot_at(std::uint64_t position) const;
  void lock();
  void unlock() { is_locked_.store(false, std::memory_order_release); }
  static void* run(void* queue);
  bool write_next();
  void write_all(const char* data, std::size_t bytes);
  void start_over_when_empty();

  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::atomic<bool> is_locked_{false};
  std::atomic<std::uint64_t> head_{0};  // where the next entry goes; under the lock
  std::atomic<std::uint64_t> tail_{0};  // up to where entries are in the file
  std::atomic<std::uint64_t> written_{0};
  std::atomic<int> error_{0};
  int file_ = -1;
  std::uint64_t file_end_ = 0;
};

}  // namespace lockstep::recorder
