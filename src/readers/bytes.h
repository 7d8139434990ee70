// The bytes of one input and the memory they lie in: the heap, or a mapped file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "base/guarded_mapping.h"

namespace lockstep::readers {

struct ReleaseBytes {
  std::size_t mapped_bytes = 0;  // 0: from malloc

  void operator()(char* data) const {
    if (mapped_bytes > 0) {
      base::unmap_guarded(data, mapped_bytes);
    } else {
      std::free(data);
    }
  }
};

class Bytes {
 public:
  Bytes() = default;

  static Bytes from_malloc(char* data, std::size_t size) { return Bytes(data, size, 0); }
  // From base::map_guarded().
  static Bytes from_mapping(char* data, std::size_t size) { return Bytes(data, size, size); }

  std::string_view view() const { return {data_.get(), size_}; }
  bool is_mapped_file() const { return data_.get_deleter().mapped_bytes > 0; }
  // Zeros stand where somebody cut the file meanwhile.
  bool has_shrunk() const { return is_mapped_file() && base::has_shrunk(data_.get()); }

 private:
  Bytes(char* data, std::size_t size, std::size_t mapped) : data_(data, ReleaseBytes{mapped}), size_(size) {}

  std::unique_ptr<char, ReleaseBytes> data_;
  std::size_t size_ = 0;
};

// Memory for content of unknown length, handed over as Bytes.
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
