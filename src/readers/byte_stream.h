// Bytes that come once, in order, from wherever: a pipe, memory, or a compressed file (gzip and zstd, known
// by their first bytes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::readers {

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // Fills all of `room`; less only at the end.
  virtual std::size_t read(std::span<char> room) = 0;
  // Why it ended before its content did; empty when it did not.
  virtual std::string limit() const = 0;
};

// What can be read from an open file descriptor, which stays its caller's.
class DescriptorStream : public ByteStream {
 public:
  explicit DescriptorStream(int fd);

  // The first bytes, to know the content by; they are read once more as all others.
  std::string_view start() const { return {start_.data(), start_size_}; }

  std::size_t read(std::span<char> room) override;
  std::string limit() const override { return limit_; }

 private:
  std::size_t read_descriptor(std::span<char> room);

  int fd_;
  std::string limit_;
  std::array<char, 16> start_{};
  std::size_t start_size_ = 0;
  std::size_t start_taken_ = 0;
};

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
