// Bytes that come once, in order, from wherever: a pipe, a compressed file, memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

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

}  // namespace lockstep::readers
