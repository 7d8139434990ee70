// Compressed content for tests, and a stream of bytes that are there already.
#pragma once

#include <string>
#include <string_view>
#include <zlib.h>
#include <zstd.h>

#include "readers/byte_stream.h"

namespace lockstep::readers::testing {

enum class Compression { kGzip, kZstd };

inline std::string gzip(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstd(std::string_view content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
  return out;
}

inline std::string compress(std::string_view content, Compression how) {
  return how == Compression::kGzip ? gzip(content) : zstd(content);
}

class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : left_(bytes) {}

  std::size_t read(std::span<char> room) override {
    const std::size_t count = left_.copy(room.data(), room.size());
    left_.remove_prefix(count);
    return count;
  }
  std::string limit() const override { return {}; }

 private:
  std::string_view left_;
};

}  // namespace lockstep::readers::testing
