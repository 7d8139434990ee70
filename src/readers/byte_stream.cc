#include "readers/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

namespace lockstep::readers {

DescriptorStream::DescriptorStream(int fd) : fd_(fd) {
  start_size_ = read_descriptor(start_);
}

std::size_t DescriptorStream::read_descriptor(std::span<char> room) {
  std::size_t filled = 0;
  while (filled < room.size() && limit_.empty()) {
    const ssize_t count = ::read(fd_, room.data() + filled, room.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      limit_ = fmt::format("cannot be read to its end: {}", std::generic_category().message(errno));
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

std::size_t DescriptorStream::read(std::span<char> room) {
  const std::size_t from_start = std::min(room.size(), start_size_ - start_taken_);
  std::copy_n(start_.begin() + start_taken_, from_start, room.begin());
  start_taken_ += from_start;
  return from_start + read_descriptor(room.subspan(from_start));
}

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

constexpr std::size_t kTakenAtOnce = std::size_t{256} << 10;
// Honest logs shrink about 20 to 50 times, at most a few hundred where one line repeats; what grows more is a
// bomb.
constexpr std::size_t kMaxAlways = std::size_t{64} << 20;
constexpr std::size_t kMaxExpansion = 256;

class Gunzip : public Decompressor {
 public:
  Gunzip() { is_ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~Gunzip() override { inflateEnd(&stream_); }

  DecompressStep step(std::string_view& from, std::span<char> to, std::size_t& written) override {
    constexpr std::size_t kMax = std::numeric_limits<uInt>::max();
    if (!is_ready_) return DecompressStep::kDamaged;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    stream_.avail_in = static_cast<uInt>(std::min(from.size(), kMax));
    const uInt given = stream_.avail_in;
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(std::min(to.size(), kMax));
    const uInt room = stream_.avail_out;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    from.remove_prefix(given - stream_.avail_in);
    written = room - stream_.avail_out;
    if (state == Z_STREAM_END) {
      inflateReset(&stream_);
      return DecompressStep::kEnd;
    }
    return state == Z_OK || state == Z_BUF_ERROR ? DecompressStep::kMore : DecompressStep::kDamaged;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

class Unzstd : public Decompressor {
 public:
  DecompressStep step(std::string_view& from, std::span<char> to, std::size_t& written) override {
    if (!context_) return DecompressStep::kDamaged;
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
    from.remove_prefix(in.pos);
    written = out.pos;
    if (ZSTD_isError(left) != 0) return DecompressStep::kDamaged;
    return left == 0 ? DecompressStep::kEnd : DecompressStep::kMore;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

std::unique_ptr<Decompressor> decompressor_for(std::string_view start) {
  if (start.starts_with(kGzipMagic)) return std::make_unique<Gunzip>();
  return std::make_unique<Unzstd>();
}

}  // namespace

bool is_compressed(std::string_view start) {
  return start.starts_with(kGzipMagic) || start.starts_with(kZstdMagic);
}

Decompressed::Decompressed(ByteStream& from, std::string_view start)
    : from_(from), decompressor_(decompressor_for(start)), compressed_(kTakenAtOnce) {}

bool Decompressed::refill() {
  left_ = {compressed_.data(), from_.read(compressed_)};
  taken_ += left_.size();
  return !left_.empty();
}

std::size_t Decompressed::read(std::span<char> room) {
  std::size_t filled = 0;
  while (filled < room.size() && !is_over_) {
    const std::size_t before = left_.size();
    const std::size_t most = kMaxAlways + taken_ * kMaxExpansion;
    const std::size_t room_left = std::min(room.size() - filled, most + 1 - given_);
    std::size_t written = 0;
    const DecompressStep state = decompressor_->step(left_, room.subspan(filled, room_left), written);
    filled += written;
    given_ += written;
    const bool has_moved = written > 0 || left_.size() < before;
    if (state == DecompressStep::kEnd) is_between_members_ = true;
    if (state == DecompressStep::kMore && has_moved) is_between_members_ = false;
    if (state == DecompressStep::kDamaged) {
      is_over_ = true;  // behind a whole member: padding
      if (!is_between_members_) limit_ = "the compressed data is damaged; what came before is read";
    } else if (!has_moved && !refill()) {
      is_over_ = true;
      if (!is_between_members_) limit_ = "the compressed data ends early; what came before is read";
    } else if (given_ > most) {
      is_over_ = true;
      limit_ = fmt::format("expands to more than {} MB; the rest is not read", most >> 20);
    }
  }
  return filled;
}

std::string Decompressed::limit() const {
  return from_.limit().empty() ? limit_ : from_.limit();
}

}  // namespace lockstep::readers
