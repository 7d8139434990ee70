// A stream of bytes that are there already.
#pragma once

#include <string_view>

#include "readers/byte_stream.h"

namespace lockstep::readers::testing {

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
