// Reads a rank's record file from front to back with a buffer of one chunk, however long the file is.
//
// Damage never stops it, nor does a medium that cannot be read in places: records are read up to the damage,
// then it goes on with the next whole chunk, and stats() says what was lost. Only a file that has no valid
// header is an error.
//
// A ring is read in the order in which its chunks were claimed, also while its job runs and overwrites them:
// a chunk that was taken again in the meantime is left out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/record_format.h"

#include "base/result.h"
#include "record/byte_source.h"

namespace lockstep::record {

// How well a record file could be read. Imperfect files are read as far as they go; this says how far that
// was.
struct ReadStats {
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t unknown_records = 0;     // of types this version does not know; skipped
  std::uint64_t unfinished_records = 0;  // the writer died while writing them
  std::uint64_t damaged_chunks = 0;
  std::uint64_t lost_bytes = 0;               // that could not be read because of damage
  std::optional<std::uint64_t> first_damage;  // offset in the file
  std::optional<std::uint64_t> cut_at;        // the file ends here, inside a chunk
  std::uint64_t missing_bytes = 0;            // of records: the goodbye counts more than there are
  std::uint64_t dropped = 0;                  // by the writer: no room on disk, or the size limit
  std::uint64_t overwritten_chunks = 0;       // of a ring: what they held is gone, as was asked for
  bool has_goodbye = false;

  // The file is not as its writer left it.
  bool is_damaged() const { return damaged_chunks != 0 || cut_at.has_value() || missing_bytes != 0; }

  // One sentence for each thing a verdict from this file cannot see. Empty for a whole recording.
  std::vector<std::string> limits() const;
};

// One record in the reader's buffer, valid until the next call of next().
struct RecordView {
  const std::byte* data = nullptr;
  std::uint32_t length = 0;
  std::uint8_t type = 0;
  std::uint32_t thread = 0;  // the operating system's number
  std::uint64_t offset = 0;  // in the file

  // The record as its structure, or null when it is shorter than this version needs.
  template <typename Record>
  const Record* as() const {
    return length >= sizeof(Record) ? reinterpret_cast<const Record*>(data) : nullptr;
  }
};

enum class ChunkFilter : std::uint8_t { kAll, kDefinitions, kEvents };

class Reader {
 public:
  static Result<Reader> open(const std::filesystem::path& path, ChunkFilter filter = ChunkFilter::kAll);

  // `name` is for error messages.
  static Result<Reader> over(std::unique_ptr<ByteSource> bytes, const std::filesystem::path& name,
                             ChunkFilter filter = ChunkFilter::kAll);

  const lockstep_file_header& header() const { return header_; }

  // The next whole record, or null at the end. Of one thread in the order of time; threads alternate by
  // chunks.
  const RecordView* next();

  // Complete once next() has returned null.
  const ReadStats& stats() const { return stats_; }

 private:
  Reader() = default;
  Result<void> read_header(const std::filesystem::path& path);
  bool load_next_chunk();
  bool take_next_offset();
  void find_ring_order();
  std::uint64_t chunk_behind_hole(std::uint64_t at) const;
  bool was_overwritten_meanwhile() const;
  bool is_header_another_now() const;
  bool accept_chunk_header(std::size_t present);
  void leave_chunk_at_zero_head();
  void leave_damaged_chunk(std::size_t lost);
  void finish_stats();
  void note_stream_record();
  std::optional<std::size_t> read_at(std::uint64_t offset, std::size_t size);

  std::unique_ptr<ByteSource> bytes_;
  ChunkFilter filter_ = ChunkFilter::kAll;
  lockstep_file_header header_{};
  ReadStats stats_;
  RecordView view_;

  std::vector<std::uint64_t> buffer_;  // one chunk
  std::uint64_t file_bytes_ = 0;
  std::uint64_t next_chunk_offset_ = 0;
  bool is_in_hole_ = false;  // the last chunk was never used: more may follow that were not
  struct RingChunk {
    std::uint64_t sequence;  // 0: it has no valid header
    std::uint64_t offset;
  };
  std::vector<RingChunk> ring_order_;  // oldest first
  std::size_t next_in_ring_ = 0;
  std::uint64_t chunk_offset_ = 0;
  std::uint64_t chunk_sequence_ = 0;
  std::uint64_t goodbye_bytes_ = 0;
  std::size_t cursor_ = 0;  // in the buffer
  std::size_t end_ = 0;     // of what the file has of this chunk
};

}  // namespace lockstep::record
