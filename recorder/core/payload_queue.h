// The way of payload to the disk: training threads copy entries into memory, one thread of ours appends them
// to the files. A training thread never waits for the disk: an entry that finds no room is refused.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "lockstep/recorder.h"

#include "hash128.h"
#include "payload_files.h"

namespace lockstep::recorder {

class PayloadQueue {
 public:
  // Makes the files and starts the thread. 0 or an errno.
  int open(const char* base, const lockstep_payload_file& head, std::size_t memory_bytes);

  // Appends one entry, made of its fixed part and pieces. Small ones find room when large ones no longer do.
  bool put(std::uint16_t type, const void* fixed, std::size_t fixed_bytes, const lockstep_piece* pieces,
           std::size_t count);

  // Appends content.
  bool put_blob(const Hash128& hash, const lockstep_piece& content);

  // What comes after this goes to another part of the files; parts below `kept_from` are removed.
  bool begin_part(std::uint32_t number, std::uint64_t first_step, std::uint32_t kept_from);

  // Waits until everything put so far is in the files, as long as that goes forward.
  void drain();

  // Why contents, or entries, can no longer be written: an errno.
  int error() const { return files_.error() != 0 ? files_.error() : files_.blob_error(); }

 private:
  enum Kind : std::uint64_t { kFiller, kEntry, kBlob, kPart };
  struct Slot {
    std::atomic<std::uint64_t> is_ready;
    std::uint64_t bytes;  // up to the next one
    Kind kind;
    std::uint64_t content_bytes;
    Hash128 hash;             // of a blob
    std::uint32_t part[2];    // of a part: its number, and the first that is kept
    std::uint64_t part_step;  // ... and the steps that had ended
  };
  static constexpr std::size_t kLarge = std::size_t{64} << 10;
  static constexpr std::size_t kKeptForSmall = std::size_t{4} << 20;

  Slot* reserve(Kind kind, std::size_t content_bytes);
  Slot* slot_at(std::uint64_t position) const;
  char* content_of(Slot* slot) const;
  std::size_t bytes_for(std::uint64_t position, Kind kind, std::size_t content_bytes) const;
  void lock();
  void unlock() { is_locked_.store(false, std::memory_order_release); }
  static void* run(void* queue);
  bool write_next();
  void write(Slot& slot);
  void start_over_when_empty();

  PayloadFiles files_;
  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::atomic<bool> is_locked_{false};
  std::atomic<std::uint64_t> head_{0};  // where the next entry goes; under the lock
  std::atomic<std::uint64_t> tail_{0};  // up to where entries are in the file
  std::atomic<std::uint64_t> written_{0};
};

}  // namespace lockstep::recorder
