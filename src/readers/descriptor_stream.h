// What can be read from an open file descriptor, which stays its caller's.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "readers/byte_stream.h"

namespace lockstep::readers {

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
