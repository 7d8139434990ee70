#include "record/reader.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "base/file.h"
#include "record/layout.h"

namespace lockstep::record {

std::vector<std::string> ReadStats::limits() const {
  std::vector<std::string> limits;
  if (cut_at) limits.push_back(fmt::format("cut at byte {}: what followed is lost", *cut_at));
  if (damaged_chunks != 0) {
    limits.push_back(fmt::format("damaged from byte {} on: {} bytes in {} chunk{} could not be read",
                                 first_damage.value_or(0), lost_bytes, damaged_chunks,
                                 damaged_chunks == 1 ? "" : "s"));
  }
  if (missing_bytes != 0)
    limits.push_back(fmt::format("{} bytes of records that were written are missing", missing_bytes));
  if (!has_goodbye) limits.emplace_back("no end record: the process was killed, crashed or is still running");
  if (unfinished_records != 0) {
    limits.push_back(fmt::format("{} unfinished record{}: the process died while writing", unfinished_records,
                                 unfinished_records == 1 ? "" : "s"));
  }
  if (dropped != 0) limits.push_back(fmt::format("{} records were dropped for lack of room", dropped));
  if (overwritten_chunks != 0) limits.emplace_back("a ring: its oldest events were overwritten");
  if (unknown_records != 0) {
    limits.push_back(fmt::format("{} records of a kind this version does not know", unknown_records));
  }
  return limits;
}

namespace {

constexpr const char* kNotARecording = "give a *.lockstep file or a recording folder written by lockstep";

Error not_a_recording(const std::filesystem::path& path, std::string why) {
  return Error{"not a readable record file", path.string(), std::move(why), kNotARecording};
}

bool is_known(std::uint8_t type) {
  return (type >= LOCKSTEP_RECORD_CALL && type <= LOCKSTEP_RECORD_END) ||
         (type >= LOCKSTEP_RECORD_STRING && type <= LOCKSTEP_RECORD_ATTRIBUTE);
}

bool is_all_zero(const std::byte* data, std::size_t size) {
  return std::all_of(data, data + size, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

Result<Reader> Reader::open(const std::filesystem::path& path, ChunkFilter filter) {
  return over(TRY(open_byte_source(path)), path, filter);
}

Result<Reader> Reader::over(std::unique_ptr<ByteSource> bytes, const std::filesystem::path& name,
                            ChunkFilter filter) {
  Reader reader;
  reader.filter_ = filter;
  reader.file_bytes_ = bytes->size();
  reader.bytes_ = std::move(bytes);
  TRY(reader.read_header(name));
  return reader;
}

Result<void> Reader::read_header(const std::filesystem::path& path) {
  buffer_.resize(kSmallestChunk / 8);
  const std::optional<std::size_t> read = read_at(0, kSmallestChunk);
  if (!read) return base::error_from_errno("cannot read", path);
  const std::size_t present = *read;
  if (present == 0) return not_a_recording(path, "the file is empty");
  std::memcpy(&header_, buffer_.data(), std::min(present, sizeof header_));
  if (std::memcmp(header_.magic, LOCKSTEP_FILE_MAGIC, sizeof header_.magic) != 0) {
    const bool unwritten = is_all_zero(reinterpret_cast<const std::byte*>(&header_), sizeof header_);
    return not_a_recording(path,
                           unwritten ? "the header was never written" : "no lockstep magic at its start");
  }
  if (present < sizeof header_) return not_a_recording(path, "cut inside the header");
  if (std::string fault = fault_in_header(header_); !fault.empty()) return not_a_recording(path, fault);

  lockstep_live_counters live{};
  if (present >= LOCKSTEP_LIVE_OFFSET + sizeof live) {
    std::memcpy(&live, buffer_.data() + LOCKSTEP_LIVE_OFFSET / 8, sizeof live);
  }
  stats_.dropped = live.dropped;
  stats_.overwritten_chunks = live.overwritten_chunks;
  if (file_bytes_ < header_.header_bytes) stats_.cut_at = file_bytes_;
  buffer_.resize(header_.chunk_bytes / 8);
  next_chunk_offset_ = header_.header_bytes;
  if (is_ring(header_)) find_ring_order();
  return {};
}

// Chunks without a valid header come first: load_next_chunk judges them.
void Reader::find_ring_order() {
  for (std::uint64_t at = header_.header_bytes; at < file_bytes_; at += header_.chunk_bytes) {
    at = chunk_behind_hole(at);
    lockstep_chunk_header chunk{};
    const auto bytes = std::as_writable_bytes(std::span(&chunk, 1));
    const bool is_whole = bytes_->read(at, bytes).value_or(0) == sizeof chunk && is_valid(chunk);
    ring_order_.push_back({.sequence = is_whole ? chunk.sequence : 0, .offset = at});
  }
  std::ranges::stable_sort(ring_order_, {}, &RingChunk::sequence);
}

// The chunk at `at`, or the first behind it that is not all zeros, as an unused one is. The last one counts
// always: it may be cut.
std::uint64_t Reader::chunk_behind_hole(std::uint64_t at) const {
  const std::uint64_t data = bytes_->next_data(at);
  if (data < at + header_.chunk_bytes) return at;
  const std::uint64_t last = (file_bytes_ - 1 - at) / header_.chunk_bytes;
  return at + std::min((data - at) / header_.chunk_bytes, last) * header_.chunk_bytes;
}

bool Reader::take_next_offset() {
  if (is_ring(header_)) {
    if (next_in_ring_ == ring_order_.size()) return false;
    chunk_offset_ = ring_order_[next_in_ring_++].offset;
    return true;
  }
  if (next_chunk_offset_ >= file_bytes_) return false;
  chunk_offset_ = is_in_hole_ ? chunk_behind_hole(next_chunk_offset_) : next_chunk_offset_;
  next_chunk_offset_ = chunk_offset_ + header_.chunk_bytes;
  return true;
}

// The chunk in the buffer is one only if its header is the same before and after it was read, and at its turn
// only if it still has the number by which it was sorted.
bool Reader::was_overwritten_meanwhile() const {
  const std::uint64_t sorted_by = ring_order_[next_in_ring_ - 1].sequence;
  return sorted_by != chunk_sequence_ || is_header_another_now();
}

bool Reader::is_header_another_now() const {
  lockstep_chunk_header now{};
  const auto bytes = std::as_writable_bytes(std::span(&now, 1));
  if (bytes_->read(chunk_offset_, bytes).value_or(0) != sizeof now) return false;
  return std::memcmp(&now, buffer_.data(), sizeof now) != 0;
}

std::optional<std::size_t> Reader::read_at(std::uint64_t offset, std::size_t size) {
  return bytes_->read(offset, std::as_writable_bytes(std::span(buffer_)).first(size));
}

const RecordView* Reader::next() {
  for (;;) {
    if (end_ - cursor_ < 8) {
      if (load_next_chunk()) continue;
      finish_stats();
      return nullptr;
    }
    const auto* record = reinterpret_cast<const std::byte*>(buffer_.data()) + cursor_;
    const RecordAt found = record_at(record, end_ - cursor_, header_.chunk_bytes - cursor_, chunk_sequence_);
    if (found.shape == RecordShape::kNothingYet) {
      leave_chunk_at_zero_head();
      continue;
    }
    if (found.shape == RecordShape::kDamaged) {
      leave_damaged_chunk(end_ - cursor_);
      continue;
    }
    if (found.shape == RecordShape::kCut) {  // the file is cut inside this record
      stats_.lost_bytes += end_ - cursor_;
      cursor_ = end_;
      continue;
    }
    view_.data = record;
    view_.length = found.length;
    view_.type = found.type;
    view_.offset = chunk_offset_ + cursor_;
    cursor_ += found.length;
    ++stats_.records;
    stats_.record_bytes += found.length;
    if (found.type != LOCKSTEP_RECORD_CALL && found.type != LOCKSTEP_RECORD_DONE) note_stream_record();
    return &view_;
  }
}

void Reader::note_stream_record() {
  if (!is_known(view_.type)) {
    ++stats_.unknown_records;
  } else if (view_.type == LOCKSTEP_RECORD_THREAD) {
    if (const auto* thread = view_.as<lockstep_thread>()) view_.thread = thread->thread;
  } else if (view_.type == LOCKSTEP_RECORD_END) {
    stats_.has_goodbye = true;
    const auto* end = view_.as<lockstep_end>();
    if (end == nullptr) return;
    goodbye_bytes_ = end->written_bytes;
  }
}

bool Reader::load_next_chunk() {
  cursor_ = 0;
  end_ = 0;
  while (take_next_offset()) {
    const std::uint64_t in_file = std::min<std::uint64_t>(header_.chunk_bytes, file_bytes_ - chunk_offset_);
    if (in_file < header_.chunk_bytes) stats_.cut_at = file_bytes_;
    const bool wants_header_only = filter_ != ChunkFilter::kAll;
    const std::size_t first_part = wants_header_only ? sizeof(lockstep_chunk_header) : header_.chunk_bytes;
    std::optional<std::size_t> present = read_at(chunk_offset_, first_part);
    if (present && !accept_chunk_header(*present)) continue;
    if (present && wants_header_only) present = read_at(chunk_offset_, header_.chunk_bytes);
    if (!present) {
      leave_damaged_chunk(in_file);
      continue;
    }
    if (is_ring(header_) && was_overwritten_meanwhile()) {
      ++stats_.overwritten_chunks;
      continue;
    }
    cursor_ = sizeof(lockstep_chunk_header);
    end_ = *present;
    return true;
  }
  return false;
}

bool Reader::accept_chunk_header(std::size_t present) {
  lockstep_chunk_header chunk{};
  std::memcpy(&chunk, buffer_.data(), std::min(present, sizeof chunk));
  is_in_hole_ = is_all_zero(reinterpret_cast<const std::byte*>(&chunk), sizeof chunk);
  if (is_in_hole_) return false;
  if (present < sizeof chunk) {
    stats_.lost_bytes += present;
    return false;
  }
  if (!is_valid(chunk)) {
    // The check is stored last: a header without one is a chunk whose writer died while claiming it.
    if (chunk.check == 0) return false;
    // Of a ring, one half of it may have been read before the writer came by and the other after.
    if (is_ring(header_) && is_header_another_now()) {
      ++stats_.overwritten_chunks;
      return false;
    }
    leave_damaged_chunk(present);
    return false;
  }
  if (filter_ == ChunkFilter::kDefinitions && chunk.kind != LOCKSTEP_CHUNK_DEFINITIONS) return false;
  if (filter_ == ChunkFilter::kEvents && chunk.kind != LOCKSTEP_CHUNK_EVENTS) return false;
  ++stats_.chunks;
  chunk_sequence_ = chunk.sequence;
  view_.thread = chunk.thread;
  return true;
}

// The writer goes no further here, or died while writing what follows.
void Reader::leave_chunk_at_zero_head() {
  const auto* rest = reinterpret_cast<const std::byte*>(buffer_.data()) + cursor_;
  if (!is_all_zero(rest, end_ - cursor_)) ++stats_.unfinished_records;
  cursor_ = end_;
}

void Reader::leave_damaged_chunk(std::size_t lost) {
  ++stats_.damaged_chunks;
  stats_.lost_bytes += lost;
  if (!stats_.first_damage) stats_.first_damage = chunk_offset_ + cursor_;
  cursor_ = end_;
}

// A ring promises nothing: what was written may be overwritten.
void Reader::finish_stats() {
  if (is_ring(header_)) return;
  if (filter_ != ChunkFilter::kAll || goodbye_bytes_ <= stats_.record_bytes) return;
  stats_.missing_bytes = goodbye_bytes_ - stats_.record_bytes;
}

}  // namespace lockstep::record
