// Bytes that come once, in order, from wherever: a pipe, a compressed file, memory.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace lockstep::readers
