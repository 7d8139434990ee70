#include "record/follower.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/record_format.h"

#include "record/byte_source.h"
#include "record/layout.h"

namespace lockstep::record {

namespace {

// Some chunks of a record file as a record file of its own: a ring that has overwritten all the others.

class TailBytes : public ByteSource {
 public:
  TailBytes(std::unique_ptr<ByteSource> bytes, lockstep_file_header header,
            std::vector<std::uint64_t> offsets)
      : bytes_(std::move(bytes)),
        front_(header.header_bytes),
        chunk_bytes_(header.chunk_bytes),
        offsets_(std::move(offsets)) {
    header.features |= LOCKSTEP_FEATURE_RING;
    header.check = lockstep_words_check(&header, offsetof(lockstep_file_header, check) / 8, 0);
    std::memcpy(front_.data(), &header, sizeof header);
    lockstep_live_counters live{};
    bytes_->read(LOCKSTEP_LIVE_OFFSET, std::as_writable_bytes(std::span(&live, 1)));
    live.overwritten_chunks = std::max<std::uint64_t>(live.overwritten_chunks, 1);
    std::memcpy(front_.data() + LOCKSTEP_LIVE_OFFSET, &live, sizeof live);
  }

  std::uint64_t size() const override { return front_.size() + offsets_.size() * chunk_bytes_; }

  std::optional<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const std::optional<std::size_t> read = read_part(offset + done, into.subspan(done));
      if (!read) return std::nullopt;
      if (*read == 0) break;
      done += *read;
    }
    return done;
  }

 private:
  std::optional<std::size_t> read_part(std::uint64_t offset, std::span<std::byte> into) {
    if (offset < front_.size()) {
      const std::size_t present = std::min<std::size_t>(into.size(), front_.size() - offset);
      std::memcpy(into.data(), front_.data() + offset, present);
      return present;
    }
    const std::uint64_t behind = offset - front_.size();
    const std::uint64_t chunk = behind / chunk_bytes_;
    if (chunk >= offsets_.size()) return 0;
    const std::uint64_t inside = behind % chunk_bytes_;
    const std::size_t wanted = std::min<std::size_t>(into.size(), chunk_bytes_ - inside);
    return bytes_->read(offsets_[chunk] + inside, into.first(wanted));
  }

  std::unique_ptr<ByteSource> bytes_;
  std::vector<std::byte> front_;
  std::uint64_t chunk_bytes_;
  std::vector<std::uint64_t> offsets_;
};

// `offsets` are those of the chunks in `bytes`, whose header is `header`.
std::unique_ptr<ByteSource> tail_of(std::unique_ptr<ByteSource> bytes, lockstep_file_header header,
                                    std::vector<std::uint64_t> offsets) {
  return std::make_unique<TailBytes>(std::move(bytes), header, std::move(offsets));
}

constexpr std::size_t kPieceBytes = 4096;    // most polls find less than that
constexpr std::size_t kMaxUnclaimed = 4096;  // some stay so for ever; a window of the usual size has four
// A thread that ends leaves its chunk to the next one, unless it has less room than this.
constexpr std::size_t kMinLeftToOthers = sizeof(lockstep_thread) + sizeof(lockstep_call);
constexpr std::size_t kMaxRemembered = 256;
constexpr std::size_t kMaxOpen = 1024;  // as many threads record at once
constexpr std::uint64_t kMaxRingPlaces = 1
                                         << 20;  // 64 GB of usual chunks; a file with a hole claims any place

template <typename T>
bool read_into(ByteSource& bytes, std::uint64_t offset, T& into) {
  return bytes.read(offset, std::as_writable_bytes(std::span(&into, 1))).value_or(0) == sizeof into;
}

Error not_yet(const std::filesystem::path& path, const std::string& why) {
  return {"cannot follow", path.string(), why, "it may only just be made: try again"};
}

}  // namespace

Result<Follower> Follower::open(const std::filesystem::path& path) {
  Follower follower;
  follower.path_ = path;
  follower.bytes_ = TRY(open_byte_source(path));
  lockstep_file_header& header = follower.header_;
  if (!read_into(*follower.bytes_, 0, header)) return not_yet(path, "it has no header yet");
  if (std::memcmp(header.magic, LOCKSTEP_FILE_MAGIC, sizeof header.magic) != 0) {
    return not_yet(path, "its header is not written yet");
  }
  if (const std::string fault = fault_in_header(header); !fault.empty()) return not_yet(path, fault);
  follower.next_offset_ = header.header_bytes;
  follower.buffer_.resize(kPieceBytes / 8);
  return follower;
}

// Events are read before definitions are looked for: then every definition that they use is there.
std::size_t Follower::poll(const Use& use) {
  words_.clear();
  found_.clear();
  find_new_chunks();
  if (is_ring(header_)) find_reused_chunks();
  read_chunks(LOCKSTEP_CHUNK_EVENTS);
  const std::size_t events = found_.size();
  find_new_chunks();
  read_chunks(LOCKSTEP_CHUNK_DEFINITIONS);
  std::rotate(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(events), found_.end());
  if (open_.size() > kMaxOpen) {
    std::erase_if(open_, [this](const Chunk& chunk) { return is_full(chunk); });
  }
  hand_on(use);
  const std::size_t count = found_.size();
  // Thousands of files are followed at once: what one needed in a busy moment is given back.
  if (words_.capacity() > kPieceBytes) words_ = {};
  if (found_.capacity() > kPieceBytes / sizeof(Found)) found_ = {};
  return count;
}

void Follower::hand_on(const Use& use) {
  for (Found& found : found_) {
    found.view.data = reinterpret_cast<const std::byte*>(words_.data() + found.place);
    use(found.view);
  }
}

void Follower::find_new_chunks() {
  std::erase_if(unclaimed_, [this](std::uint64_t offset) { return open_chunk(offset); });
  const std::uint64_t end = bytes_->size();
  const std::uint64_t remembered = kMaxUnclaimed * header_.chunk_bytes;
  for (; next_offset_ + header_.chunk_bytes <= end; next_offset_ += header_.chunk_bytes) {
    if (open_chunk(next_offset_)) continue;
    const std::uint64_t data = bytes_->next_data(next_offset_);
    const std::uint64_t hole = std::min(data, end) - std::min({data, end, next_offset_});
    if (hole > remembered)  // of a hole that large no more could be remembered
      next_offset_ += (hole - remembered) / header_.chunk_bytes * header_.chunk_bytes;
    unclaimed_.push_back(next_offset_);
    if (unclaimed_.size() > 2 * kMaxUnclaimed) forget_oldest_unclaimed();
  }
  forget_oldest_unclaimed();
}

void Follower::forget_oldest_unclaimed() {
  if (unclaimed_.size() > kMaxUnclaimed)
    unclaimed_.erase(unclaimed_.begin(), unclaimed_.end() - static_cast<std::ptrdiff_t>(kMaxUnclaimed));
}

// Chunks are used again in the order of their places, but for those that a slow thread still fills.
void Follower::find_reused_chunks() {
  lockstep_live_counters live{};
  if (!read_into(*bytes_, LOCKSTEP_LIVE_OFFSET, live)) return;
  const std::uint64_t places = sequences_.size();
  std::uint64_t expected = live.overwritten_chunks - seen_overwritten_;
  if (expected > places) missed_chunks_ += expected - places;
  for (std::uint64_t looked = 0; looked < places && expected != 0; ++looked) {
    if (open_chunk(header_.header_bytes + ring_place_ * header_.chunk_bytes)) {
      --expected;
      ++seen_overwritten_;
    }
    ring_place_ = (ring_place_ + 1) % places;
  }
  if (live.overwritten_chunks - seen_overwritten_ > places) seen_overwritten_ = live.overwritten_chunks;
}

// False when there is no chunk there that was not opened before.
bool Follower::open_chunk(std::uint64_t offset) {
  lockstep_chunk_header chunk{};
  if (!read_into(*bytes_, offset, chunk) || !is_valid(chunk)) return false;
  if (is_ring(header_)) {
    const std::uint64_t place = place_of(offset);
    if (place >= kMaxRingPlaces) return false;
    if (place >= sequences_.size()) sequences_.resize(place + 1);
    if (sequences_[place] == chunk.sequence) return false;
    sequences_[place] = chunk.sequence;
    std::erase_if(open_, [&](const Chunk& open) { return open.offset == offset; });
  }
  open_.push_back({.offset = offset,
                   .sequence = chunk.sequence,
                   .kind = chunk.kind,
                   .thread = chunk.thread,
                   .cursor = sizeof(lockstep_chunk_header)});
  note_writing(open_.back());
  remember(open_.back());
  return true;
}

void Follower::remember(const Chunk& chunk) {
  if (chunk.kind == LOCKSTEP_CHUNK_DEFINITIONS) {
    definition_offsets_.push_back(chunk.offset);
    return;
  }
  if (is_ring(header_)) std::erase(event_offsets_, chunk.offset);
  event_offsets_.push_back(chunk.offset);
  if (event_offsets_.size() <= kMaxRemembered) return;
  event_offsets_.pop_front();
  has_forgotten_events_ = true;
}

std::unique_ptr<ByteSource> Follower::tail(std::size_t most_bytes) const {
  auto bytes = open_byte_source(path_);
  if (!bytes.ok()) return nullptr;
  const std::size_t most = std::max<std::size_t>(most_bytes / header_.chunk_bytes, 1);
  if (!has_forgotten_events_ && event_offsets_.size() <= most) return std::move(bytes).value();
  std::vector<std::uint64_t> offsets = definition_offsets_;
  const std::size_t first = event_offsets_.size() - std::min(most, event_offsets_.size());
  for (std::size_t i = 0; i < event_offsets_.size(); ++i) {
    const std::uint64_t offset = event_offsets_[i];
    const bool is_open = std::ranges::find(open_, offset, &Chunk::offset) != open_.end();
    if (i >= first || is_open) offsets.push_back(offset);  // a slow thread's may be an old one
  }
  return tail_of(std::move(bytes).value(), header_, std::move(offsets));
}

// A thread writes into one chunk at a time: it is through with the others.
void Follower::note_writing(const Chunk& chunk) {
  for (Chunk& other : open_) {
    const bool is_its = other.thread == chunk.thread && other.kind == chunk.kind;
    if (is_its) other.has_successor = other.offset != chunk.offset;
  }
}

bool Follower::is_full(const Chunk& chunk) const {
  return header_.chunk_bytes - chunk.cursor < kMinLeftToOthers;
}

void Follower::read_chunks(std::uint32_t kind) {
  for (Chunk& chunk : open_) {
    if (chunk.kind != kind) continue;
    while (read_piece(chunk)) {
    }
  }
  // What a thread leaves with more room than that goes on to be filled by another.
  std::erase_if(
      open_, [&](const Chunk& chunk) { return chunk.kind == kind && chunk.has_successor && is_full(chunk); });
}

// True when there may be more right behind it.
bool Follower::read_piece(Chunk& chunk) {
  const std::size_t room = header_.chunk_bytes - chunk.cursor;
  if (room < 8) return false;
  const std::size_t wanted = std::min(room, kPieceBytes);
  auto into = std::as_writable_bytes(std::span(buffer_));
  std::size_t present = bytes_->read(chunk.offset + chunk.cursor, into.first(wanted)).value_or(0);
  std::size_t at = 0;
  while (present - at >= 8) {
    const RecordAt found = record_at(into.data() + at, present - at, room - at, chunk.sequence);
    if (found.shape == RecordShape::kCut && at == 0 && wanted < room) {  // longer than a piece
      if (buffer_.size() * 8 < room) {
        buffer_.resize(room / 8);
        into = std::as_writable_bytes(std::span(buffer_));
      }
      present = bytes_->read(chunk.offset + chunk.cursor, into.first(room)).value_or(0);
      if (present < found.length) return false;
      continue;
    }
    if (found.shape == RecordShape::kCut) break;
    if (found.shape != RecordShape::kWhole) {
      chunk.cursor += static_cast<std::uint32_t>(at);
      return false;
    }
    if (found.type == LOCKSTEP_RECORD_THREAD && found.length >= sizeof(lockstep_thread)) {
      lockstep_thread thread{};
      std::memcpy(&thread, into.data() + at, sizeof thread);
      chunk.thread = thread.thread;
    }
    if (at == 0) note_writing(chunk);
    keep(into.data() + at, {.data = nullptr,
                            .length = found.length,
                            .type = found.type,
                            .thread = chunk.thread,
                            .offset = chunk.offset + chunk.cursor + at});
    at += found.length;
  }
  chunk.cursor += static_cast<std::uint32_t>(at);
  return at != 0;
}

void Follower::keep(const std::byte* record, const RecordView& view) {
  const std::size_t place = words_.size();
  words_.resize(place + view.length / 8);
  std::memcpy(words_.data() + place, record, view.length);
  found_.push_back({.view = view, .place = place});
}

}  // namespace lockstep::record
