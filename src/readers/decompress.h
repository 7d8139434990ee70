// gzip and zstd, known by their first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "readers/byte_stream.h"

namespace lockstep::readers {

bool is_compressed(std::string_view start);

enum class DecompressStep : std::uint8_t { kMore, kEnd, kDamaged };

class Decompressor {
 public:
  Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  virtual ~Decompressor() = default;

  // Takes from `from`, writes to `to` and says how it stands.
  virtual DecompressStep step(std::string_view& from, std::span<char> to, std::size_t& written) = 0;
};

// The content of every member or frame in turn. Damaged, cut or absurdly expanding data gives what came
// before the fault, and the limit says so.
class Decompressed : public ByteStream {
 public:
  // `start`: the first bytes of `from`, which is_compressed() knows and which read() gives as well.
  Decompressed(ByteStream& from, std::string_view start);

  std::size_t read(std::span<char> room) override;
  std::string limit() const override;

 private:
  bool refill();

  ByteStream& from_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<char> compressed_;
  std::string_view left_;  // of what lies in compressed_
  std::size_t taken_ = 0;  // from the stream
  std::size_t given_ = 0;
  bool is_between_members_ = false;
  bool is_over_ = false;
  std::string limit_;
};

}  // namespace lockstep::readers
