#include "readers/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unistd.h>

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

}  // namespace lockstep::readers
