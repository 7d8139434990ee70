#include "readers/decompress.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

#include "readers/growing_buffer.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

// Honest logs shrink about 20 to 50 times, at most a few hundred where one line repeats; what grows more is a
// bomb.
constexpr std::size_t kMostAlways = std::size_t{64} << 20;
constexpr std::size_t kMostExpansion = 256;
constexpr std::size_t kMostEver = std::size_t{2} << 30;

constexpr const char* kEndsEarly = "the compressed data ends early; what came before is read";
constexpr const char* kIsDamaged = "the compressed data is damaged; what came before is read";

std::size_t most_from(std::size_t compressed) {
  return std::min(kMostEver, kMostAlways + std::min(compressed, kMostEver) * kMostExpansion);
}

// One step of a decompressor: it takes from `from`, writes to `to` and says how it stands.
enum class Step { kMore, kEnd, kDamaged };

template <typename Decompressor>
Input decompress_with(Decompressor&& step, std::string_view bytes) {
  const std::size_t most = most_from(bytes.size());
  GrowingBuffer out(std::min(most, bytes.size() * 4 + 256));
  std::string limit;
  bool is_at_end = false;
  while (limit.empty()) {
    std::span<char> room = out.room();
    room = room.first(std::min(room.size(), most + 1 - out.size()));
    const std::size_t before = bytes.size();
    std::size_t written = 0;
    const Step state = step(bytes, room, written);
    out.filled(written);
    if (out.size() > most) {
      limit = fmt::format("expands to more than {} MB; the rest is not read", most >> 20);
      break;
    }
    if (state == Step::kEnd) is_at_end = true;
    if (state == Step::kMore && (written > 0 || before > bytes.size())) is_at_end = false;
    if (state == Step::kDamaged && !is_at_end) limit = kIsDamaged;  // behind a whole member: padding
    if (state == Step::kDamaged || (is_at_end && bytes.empty())) break;
    if (written == 0 && before == bytes.size()) limit = kEndsEarly;
  }
  return {.bytes = out.release(), .limit = std::move(limit)};
}

class Gunzip {
 public:
  Gunzip() { is_ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip() { inflateEnd(&stream_); }

  Step operator()(std::string_view& from, std::span<char> to, std::size_t& written) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    if (!is_ready_) return Step::kDamaged;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
    stream_.avail_in = static_cast<uInt>(std::min(from.size(), kMost));
    const uInt given = stream_.avail_in;
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(std::min(to.size(), kMost));
    const uInt room = stream_.avail_out;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    from.remove_prefix(given - stream_.avail_in);
    written = room - stream_.avail_out;
    if (state == Z_STREAM_END) {
      inflateReset(&stream_);
      return Step::kEnd;
    }
    return state == Z_OK || state == Z_BUF_ERROR ? Step::kMore : Step::kDamaged;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

class Unzstd {
 public:
  Step operator()(std::string_view& from, std::span<char> to, std::size_t& written) {
    if (!context_) return Step::kDamaged;
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
    from.remove_prefix(in.pos);
    written = out.pos;
    if (ZSTD_isError(left) != 0) return Step::kDamaged;
    return left == 0 ? Step::kEnd : Step::kMore;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

}  // namespace

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with(kGzipMagic) || bytes.starts_with(kZstdMagic);
}

Input decompress(std::string_view bytes) {
  return bytes.starts_with(kGzipMagic) ? decompress_with(Gunzip(), bytes) : decompress_with(Unzstd(), bytes);
}

}  // namespace lockstep::readers
