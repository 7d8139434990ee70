// Memory for content of unknown length, handed over as Bytes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "readers/bytes.h"

namespace lockstep::readers {

class GrowingBuffer {
 public:
  explicit GrowingBuffer(std::size_t first_size) { set_capacity(std::max<std::size_t>(first_size, 1)); }
  GrowingBuffer(const GrowingBuffer&) = delete;
  GrowingBuffer& operator=(const GrowingBuffer&) = delete;
  ~GrowingBuffer() { std::free(data_); }

  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }

  // Where the next bytes go; never empty.
  std::span<char> room() {
    if (size_ == capacity_) set_capacity(capacity_ * 2);
    return {data_ + size_, capacity_ - size_};
  }
  void filled(std::size_t count) { size_ += count; }

  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::span<char> to = room();
      const std::size_t count = bytes.copy(to.data(), to.size());
      filled(count);
      bytes.remove_prefix(count);
    }
  }
  void drop_front(std::size_t count) {
    size_ -= count;
    std::memmove(data_, data_ + count, size_);
  }

  Bytes release() {
    set_capacity(std::max<std::size_t>(size_, 1));
    return Bytes::from_malloc(std::exchange(data_, nullptr), size_);
  }

 private:
  void set_capacity(std::size_t capacity) {
    char* moved = static_cast<char*>(std::realloc(data_, capacity));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = moved;
    capacity_ = capacity;
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace lockstep::readers
