// Reads a record file while its job writes it: each poll() hands on what came since the last one.
//
// Definitions come before the events that use them. Nothing is waited for: what is half written comes with
// the next poll. In a ring that its job fills faster than it is followed, events are left out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "lockstep/record_format.h"

#include "base/result.h"
#include "record/byte_source.h"
#include "record/reader.h"

namespace lockstep::record {

class Follower {
 public:
  using Use = std::function<void(const RecordView&)>;

  // An error also when the header is not written yet: try again later.
  static Result<Follower> open(const std::filesystem::path& path);

  const lockstep_file_header& header() const { return header_; }

  // The number of records handed on.
  std::size_t poll(const Use& use);

  // The definitions and the newest events, about `most_bytes` of them, as a record file of its own: one that
  // looks like a ring which has overwritten the rest. Bytes are read when they are asked for, so they may be
  // newer than the last poll. Nothing when the file cannot be opened any more.
  std::unique_ptr<ByteSource> tail(std::size_t most_bytes) const;

  // How many chunks of a ring were overwritten before they could be read.
  std::uint64_t missed_chunks() const { return missed_chunks_; }

 private:
  struct Chunk {
    std::uint64_t offset = 0;
    std::uint64_t sequence = 0;
    std::uint32_t kind = 0;
    std::uint32_t thread = 0;    // of the last record that was read
    std::uint32_t cursor = 0;    // where reading goes on
    bool has_successor = false;  // its thread went on to another chunk
  };
  struct Found {
    RecordView view;        // without its data
    std::size_t place = 0;  // of its data in words_
  };

  Follower() = default;
  void find_new_chunks();
  void forget_oldest_unclaimed();
  void find_reused_chunks();
  bool open_chunk(std::uint64_t offset);
  void note_writing(const Chunk& chunk);
  void remember(const Chunk& chunk);
  bool is_full(const Chunk& chunk) const;
  void read_chunks(std::uint32_t kind);
  bool read_piece(Chunk& chunk);
  void keep(const std::byte* record, const RecordView& view);
  void hand_on(const Use& use);
  std::uint64_t place_of(std::uint64_t offset) const {
    return (offset - header_.header_bytes) / header_.chunk_bytes;
  }

  std::filesystem::path path_;
  std::unique_ptr<ByteSource> bytes_;
  lockstep_file_header header_{};
  std::vector<std::uint64_t> definition_offsets_;
  std::deque<std::uint64_t> event_offsets_;  // in the order in which they were found
  bool has_forgotten_events_ = false;
  std::vector<Chunk> open_;
  std::uint64_t next_offset_ = 0;         // where the next chunk that was never claimed begins
  std::vector<std::uint64_t> unclaimed_;  // before that: those that had no header yet
  std::vector<std::uint64_t> sequences_;  // of a ring, by place: the number of the chunk that was seen there
  std::uint64_t ring_place_ = 0;          // where the next chunk to be used again is looked for
  std::uint64_t seen_overwritten_ = 0;
  std::uint64_t missed_chunks_ = 0;

  std::vector<std::uint64_t> buffer_;
  std::vector<std::uint64_t> words_;  // the data of what was found
  std::vector<Found> found_;
};

}  // namespace lockstep::record
