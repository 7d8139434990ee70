#include "record/tail.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace lockstep::record {
namespace {

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

}  // namespace

std::unique_ptr<ByteSource> tail_of(std::unique_ptr<ByteSource> bytes, lockstep_file_header header,
                                    std::vector<std::uint64_t> offsets) {
  return std::make_unique<TailBytes>(std::move(bytes), header, std::move(offsets));
}

}  // namespace lockstep::record
