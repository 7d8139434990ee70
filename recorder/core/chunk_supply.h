// Hands out the chunks of a record file, one at a time, to any number of threads that never wait for each
// other.
//
// A full recording takes new chunks until the file may grow no further. A ring then takes the oldest event
// chunk that nobody fills any more, wipes it and gives it out again under a new number; definitions are kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lockstep/record_format.h"

#include "windowed_file.h"

namespace lockstep::recorder {

// Where a lane stands in its chunk.
struct ChunkPlace {
  char* begin = nullptr;  // where this lane began to write
  char* cursor = nullptr;
  char* end = nullptr;
  std::uint64_t sequence = 0;
};

struct ChunkSupplyOptions {
  const char* path = nullptr;
  std::uint32_t chunk_bytes = 0;
  std::uint32_t header_bytes = 0;
  std::size_t max_bytes = 0;
  bool is_ring = false;
};

class ChunkSupply {
 public:
  int open(const ChunkSupplyOptions& options);  // 0 or an errno
  void close();

  // An empty chunk with its header written. False: no room.
  bool claim(ChunkPlace& place, std::uint32_t kind, std::uint32_t thread);

  // Nobody writes into this chunk any more: a ring may take it.
  void release(const ChunkPlace& place);

  bool covers(const void* address) const { return file_.covers(address); }
  char* header() const { return file_.data(); }
  std::uint32_t chunk_bytes() const { return chunk_bytes_; }
  bool is_ring() const { return chunk_states_ != nullptr; }
  std::size_t most_chunks() const { return most_chunks_; }
  std::uint64_t claimed() const { return claimed_.load(std::memory_order_relaxed); }

 private:
  // Of a chunk in a ring. Definitions are never released.
  enum State : unsigned char { kNew = 0, kInUse = 1, kReusable = 2 };

  bool take_new(std::size_t& index);
  bool take_from_new_window(std::size_t& index);
  bool take_oldest(std::size_t& index);
  void wipe(char* chunk) const;
  void write_chunk_header(char* chunk, std::uint64_t sequence, std::uint32_t kind, std::uint32_t thread);
  char* chunk_at(std::size_t index) const { return file_.data() + header_bytes_ + index * chunk_bytes_; }
  lockstep_live_counters* live() const {
    return reinterpret_cast<lockstep_live_counters*>(file_.data() + LOCKSTEP_LIVE_OFFSET);
  }

  WindowedFile file_;
  std::uint32_t chunk_bytes_ = 0;
  std::uint32_t header_bytes_ = 0;
  std::uint32_t window_chunks_ = 0;
  std::size_t most_chunks_ = 0;
  // The next free chunk of the newest window; a multiple of window_chunks_ means that the window is used up.
  std::atomic<std::size_t> next_chunk_{0};
  std::atomic<std::size_t> next_window_{0};
  std::atomic<std::uint64_t> failed_windows_{0};
  std::atomic<std::uint64_t> claimed_{0};

  std::atomic<unsigned char>* chunk_states_ = nullptr;  // one for each chunk; only in a ring
  std::atomic<std::size_t> present_chunks_{0};          // in windows that are prepared
  std::atomic<std::size_t> oldest_{0};                  // where the search for the oldest goes on
};

}  // namespace lockstep::recorder
