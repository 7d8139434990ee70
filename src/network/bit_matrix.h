// A square of bits, a row after the other; 10,000 hosts make 12 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::network {

class BitMatrix {
 public:
  BitMatrix() = default;
  explicit BitMatrix(std::size_t size)
      : size_(size), row_words_((size + 63) / 64), words_(size * row_words_, 0) {}

  std::size_t size() const { return size_; }
  void set(std::size_t row, std::size_t column) {
    words_[row * row_words_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  bool has(std::size_t row, std::size_t column) const {
    return ((words_[row * row_words_ + column / 64] >> (column % 64)) & 1) != 0;
  }
  std::span<std::uint64_t> row(std::size_t at) { return {words_.data() + at * row_words_, row_words_}; }
  std::span<const std::uint64_t> row(std::size_t at) const {
    return {words_.data() + at * row_words_, row_words_};
  }
  std::uint64_t count() const;

  // Rows become columns.
  BitMatrix transposed() const;

 private:
  std::size_t size_ = 0;
  std::size_t row_words_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace lockstep::network
