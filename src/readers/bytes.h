// The bytes of one input and the memory they lie in: the heap, or a mapped file.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <sys/mman.h>

namespace lockstep::readers {

struct ReleaseBytes {
  std::size_t mapped_bytes = 0;  // 0: from malloc

  void operator()(char* data) const {
    if (mapped_bytes > 0) {
      ::munmap(data, mapped_bytes);
    } else {
      std::free(data);
    }
  }
};

class Bytes {
 public:
  Bytes() = default;

  static Bytes from_malloc(char* data, std::size_t size) { return Bytes(data, size, 0); }
  static Bytes from_mmap(char* data, std::size_t size) { return Bytes(data, size, size); }

  std::string_view view() const { return {data_.get(), size_}; }
  bool is_mapped_file() const { return data_.get_deleter().mapped_bytes > 0; }

 private:
  Bytes(char* data, std::size_t size, std::size_t mapped) : data_(data, ReleaseBytes{mapped}), size_(size) {}

  std::unique_ptr<char, ReleaseBytes> data_;
  std::size_t size_ = 0;
};

}  // namespace lockstep::readers
