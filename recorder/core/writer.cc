#include "writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "try_lock.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kLongestRecord = 65528;  // the largest multiple of 8 that a 16-bit length holds
constexpr std::size_t kLongestText = std::size_t{8} << 10;

template <std::size_t size>
void copy_text(char (&field)[size], const char* text) {
  ::memcpy(field, text, ::strnlen(text, size));
}

std::size_t round_up_to_word(std::size_t bytes) {
  return (bytes + 7) & ~std::size_t{7};
}

// A definition on the stack of the calling thread: what follows the fixed part is of variable length.
class DefinitionBuffer {
 public:
  template <typename Record>
  DefinitionBuffer(const Record& record, const void* tail, std::size_t tail_bytes) {
    length_ = round_up_to_word(sizeof(Record) + tail_bytes);
    if (length_ > sizeof bytes_) {
      length_ = 0;
      return;
    }
    ::memset(bytes_ + length_ - 8, 0, 8);
    ::memcpy(bytes_, &record, sizeof(Record));
    ::memcpy(bytes_ + sizeof(Record), tail, tail_bytes);
  }
  bool fits() const { return length_ != 0; }
  char* data() { return bytes_; }
  std::size_t length() const { return length_; }

 private:
  alignas(8) char bytes_[kLongestText + 64];
  std::size_t length_ = 0;
};

}  // namespace

int Writer::open(const WriterOptions& options) {
  int error = definitions_.create();
  if (error == 0) {
    error = chunks_.open(
        {options.path, options.chunk_bytes, options.header_bytes, options.max_bytes, options.is_ring});
  }
  if (error != 0) {
    chunks_.close();
    definitions_.destroy();
    return error;
  }
  live_ = reinterpret_cast<lockstep_live_counters*>(chunks_.header() + LOCKSTEP_LIVE_OFFSET);
  most_left_ = kLeftChunks;
  if (options.is_ring) {
    // Chunks that nobody fills, and definitions, must leave most of a small ring to the events.
    if (most_left_ > chunks_.most_chunks() / 4) most_left_ = chunks_.most_chunks() / 4;
    most_definition_chunks_ = chunks_.most_chunks() / 2;
  }
  write_header(options);
  definition_lane_.writer_ = this;
  definition_lane_.thread_ = static_cast<std::uint32_t>(::getpid());
  definition_lane_.kind_ = LOCKSTEP_CHUNK_DEFINITIONS;
  if (!make_room_for_definition(0)) {
    close(-1);
    return ENOSPC;
  }
  return 0;
}

void Writer::write_header(const WriterOptions& options) {
  lockstep_file_header header{};
  ::memcpy(header.magic, LOCKSTEP_FILE_MAGIC, sizeof header.magic);
  header.version = LOCKSTEP_FORMAT_VERSION;
  header.header_bytes = options.header_bytes;
  header.byte_order = LOCKSTEP_BYTE_ORDER;
  header.chunk_bytes = options.chunk_bytes;
  header.features = options.is_ring ? LOCKSTEP_FEATURE_RING : 0;
  copy_text(header.job, options.job);
  copy_text(header.host, options.host);
  copy_text(header.writer, options.writer);
  header.rank = options.rank;
  header.local_rank = options.local_rank;
  header.world_size = options.world_size;
  header.restart = options.restart;
  header.pid = static_cast<std::uint64_t>(::getpid());
  header.monotonic_ns = monotonic_now_ns();
  header.wall_ns = wall_now_ns();
  header.check = lockstep_words_check(&header, offsetof(lockstep_file_header, check) / 8, 0);

  // The magic last: a file whose first word is zero has no header yet.
  ::memcpy(chunks_.header() + 8, reinterpret_cast<char*>(&header) + 8, sizeof header - 8);
  std::uint64_t magic = 0;
  ::memcpy(&magic, header.magic, sizeof magic);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(chunks_.header()), magic, __ATOMIC_RELEASE);
}

void Writer::say_goodbye(std::int32_t exit_status) {
  const TryLock lock(definitions_.lock());
  if (!lock.held() || has_said_goodbye_) return;
  has_said_goodbye_ = true;
  lockstep_end end{};
  end.time_ns = monotonic_now_ns();
  end.exit_status = exit_status;
  end.chunks = chunks_.claimed();
  count_written(definition_lane_);
  definition_lane_.place_.begin = definition_lane_.place_.cursor;
  // In a ring nothing can be promised: what was written may be overwritten.
  const std::uint64_t written = written_bytes_.load(std::memory_order_relaxed) + sizeof end;
  end.written_bytes = chunks_.is_ring() ? 0 : written;
  definition_lane_.write(end);
}

void Writer::close(std::int32_t exit_status) {
  say_goodbye(exit_status);
  definition_lane_.writer_ = nullptr;
  definition_lane_.place_ = ChunkPlace{};
  definitions_.destroy();
  chunks_.close();
  live_ = nullptr;
}

void Writer::open_lane(Lane& lane, std::uint32_t thread) {
  lane.writer_ = this;
  lane.thread_ = thread;
  const TryLock lock(left_lock_);
  if (!lock.held() || left_count_ == 0) return;
  lane.place_ = left_[--left_count_];
  lane.place_.begin = lane.place_.cursor;
  lockstep_thread taken_over{};
  taken_over.thread = thread;
  lane.write(taken_over);
}

void Writer::close_lane(Lane& lane) {
  count_written(lane);
  const bool has_room_left = lane.has_room(sizeof(lockstep_thread) + sizeof(lockstep_call));
  const TryLock lock(left_lock_);
  if (lock.held() && has_room_left && left_count_ < most_left_) {
    left_[left_count_++] = lane.place_;
  } else {
    chunks_.release(lane.place_);
  }
  lane.writer_ = nullptr;
  lane.place_ = ChunkPlace{};
}

void Writer::count_written(const Lane& lane) {
  const auto bytes = static_cast<std::uint64_t>(lane.place_.cursor - lane.place_.begin);
  written_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void Writer::count_dropped() {
  __atomic_fetch_add(&live_->dropped, 1, __ATOMIC_RELAXED);
}

std::uint64_t Writer::dropped() const {
  return live_ == nullptr ? 0 : __atomic_load_n(&live_->dropped, __ATOMIC_RELAXED);
}

bool Lane::advance(std::size_t length) {
  if (writer_ == nullptr) return false;
  const bool is_too_long =
      length > kLongestRecord || length > writer_->chunks_.chunk_bytes() - sizeof(lockstep_chunk_header);
  ChunkPlace next;
  if (is_too_long || !writer_->chunks_.claim(next, kind_, thread_)) {
    ++dropped_;
    writer_->count_dropped();
    return false;
  }
  writer_->count_written(*this);
  if (kind_ == LOCKSTEP_CHUNK_EVENTS) writer_->chunks_.release(place_);
  place_ = next;
  if (dropped_ != 0) {
    lockstep_dropped gap{};
    gap.time_ns = monotonic_now_ns();
    gap.count = dropped_;
    dropped_ = 0;
    commit(&gap, sizeof gap, LOCKSTEP_RECORD_DROPPED);
  }
  return has_room(length);
}

// Always leaves room for the goodbye, which must be there even when the disk is full.
bool Writer::make_room_for_definition(std::size_t length) {
  const std::size_t needed = length + sizeof(lockstep_end);
  if (definition_lane_.has_room(needed)) return true;
  if (definition_chunks_ >= most_definition_chunks_ || !definition_lane_.advance(needed)) return false;
  ++definition_chunks_;
  return true;
}

std::uint32_t Writer::intern(std::uint8_t type, void* record, std::size_t length) {
  auto* bytes = static_cast<char*>(record);
  if (const std::uint32_t known = definitions_.find(type, bytes, length)) return known;

  const TryLock lock(definitions_.lock());
  if (!lock.held() || definitions_.is_full()) return 0;
  if (const std::uint32_t known = definitions_.find(type, bytes, length)) return known;
  const std::uint32_t id = definitions_.next_id();
  ::memcpy(bytes + 8, &id, sizeof id);
  if (!make_room_for_definition(length)) return 0;
  const char* place = definition_lane_.commit(bytes, length, type);
  definitions_.insert(type, place, length);
  return id;
}

std::uint32_t Writer::intern_string(const char* text, std::size_t bytes) {
  lockstep_string string{};
  string.bytes = static_cast<std::uint32_t>(bytes < kLongestText ? bytes : kLongestText);
  DefinitionBuffer buffer(string, text, string.bytes);
  return intern(LOCKSTEP_RECORD_STRING, buffer.data(), buffer.length());
}

std::uint32_t Writer::intern_communicator(lockstep_communicator communicator, const lockstep_rank_run* runs) {
  DefinitionBuffer buffer(communicator, runs, communicator.run_count * sizeof(lockstep_rank_run));
  if (!buffer.fits()) {
    communicator.run_count = 0;  // too irregular to list: size and own rank are still worth having
    DefinitionBuffer without_members(communicator, runs, 0);
    return intern(LOCKSTEP_RECORD_COMMUNICATOR, without_members.data(), without_members.length());
  }
  return intern(LOCKSTEP_RECORD_COMMUNICATOR, buffer.data(), buffer.length());
}

std::uint32_t Writer::intern_tensors(lockstep_tensors tensors, const void* shapes, std::size_t shape_bytes) {
  DefinitionBuffer buffer(tensors, shapes, shape_bytes);
  return buffer.fits() ? intern(LOCKSTEP_RECORD_TENSORS, buffer.data(), buffer.length()) : 0;
}

std::uint32_t Writer::intern_stack(lockstep_stack stack, const lockstep_frame* frames) {
  DefinitionBuffer buffer(stack, frames, stack.frame_count * sizeof(lockstep_frame));
  return buffer.fits() ? intern(LOCKSTEP_RECORD_STACK, buffer.data(), buffer.length()) : 0;
}

void Writer::write_attribute(std::uint32_t key, std::uint32_t value) {
  const TryLock lock(definitions_.lock());
  if (!lock.held() || !make_room_for_definition(sizeof(lockstep_attribute))) return;
  lockstep_attribute attribute{};
  attribute.key = key;
  attribute.value = value;
  definition_lane_.write(attribute);
}

}  // namespace lockstep::recorder
