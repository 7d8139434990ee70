// Writes one rank's record file (include/lockstep/record_format.h) from inside the training process.
//
// Threads: open and close once; lanes and definitions from any thread in between. Memory: its own mappings
// only, nothing from the process's allocator. Failure: after a successful open nothing fails visibly; what
// finds no room is dropped and counted. Fork: the child must not use the writer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lockstep/record_format.h"

#include "chunk_supply.h"
#include "interning.h"
#include "lane.h"

namespace lockstep::recorder {

struct WriterOptions {
  const char* path = nullptr;
  const char* job = "";
  const char* host = "";
  const char* writer = "lockstep";
  std::int32_t rank = 0;
  std::int32_t local_rank = -1;
  std::int32_t world_size = -1;
  std::uint32_t restart = 0;
  std::uint32_t chunk_bytes = 64 * 1024;
  std::uint32_t header_bytes = 64 * 1024;  // a multiple of every page size in use
  std::size_t max_bytes = std::size_t{16} << 30;
  bool is_ring = false;  // at the limit the oldest events are overwritten, not the newest dropped
};

class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Returns 0 or an errno.
  int open(const WriterOptions& options);

  // Writes the goodbye, once. Lanes may go on: a process that exits has threads that do not know yet.
  void say_goodbye(std::int32_t exit_status);

  // Ends the file with a goodbye, if it has none. No lane may be in use any more.
  void close(std::int32_t exit_status);

  void open_lane(Lane& lane, std::uint32_t thread);
  void close_lane(Lane& lane);

  // Ids of definitions; equal ones get the same id. 0 when there was no room. From any thread.
  std::uint32_t intern_string(const char* text, std::size_t bytes);
  std::uint32_t intern_communicator(lockstep_communicator communicator, const lockstep_rank_run* runs);
  // `shapes` is the packed sequence of lockstep_tensor and dimensions, a multiple of 8 bytes.
  std::uint32_t intern_tensors(lockstep_tensors tensors, const void* shapes, std::size_t shape_bytes);
  std::uint32_t intern_stack(lockstep_stack stack, const lockstep_frame* frames);
  void write_attribute(std::uint32_t key, std::uint32_t value);

  bool covers(const void* address) const { return chunks_.covers(address); }
  std::uint64_t dropped() const;
  void count_dropped();  // an event that never reached a lane

 private:
  friend class Lane;
  static constexpr std::size_t kLeftChunks = 64;

  void write_header(const WriterOptions& options);
  void count_written(const Lane& lane);
  bool make_room_for_definition(std::size_t length);
  std::uint32_t intern(std::uint8_t type, void* record, std::size_t length);

  ChunkSupply chunks_;
  std::atomic<std::uint64_t> written_bytes_{0};  // of records, by lanes that have left their chunk
  lockstep_live_counters* live_ = nullptr;

  std::atomic<bool> left_lock_{false};
  ChunkPlace left_[kLeftChunks];  // chunks with room that closed lanes left behind
  std::size_t left_count_ = 0;
  std::size_t most_left_ = 0;

  Interning definitions_;
  Lane definition_lane_;
  std::size_t definition_chunks_ = 0;
  std::size_t most_definition_chunks_ = static_cast<std::size_t>(-1);
  bool has_said_goodbye_ = false;
};

}  // namespace lockstep::recorder
