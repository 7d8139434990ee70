#include "network/bit_matrix.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lockstep::network {
namespace {

using Block = std::array<std::uint64_t, 64>;

// Exchanges ever smaller quarters of the square.
void transpose(Block& block) {
  std::uint64_t mask = 0x00000000ffffffffU;
  for (std::size_t width = 32; width != 0; width /= 2, mask ^= mask << width) {
    for (std::size_t at = 0; at < 64; at = (at + width + 1) & ~width) {
      const std::uint64_t change = ((block[at] >> width) ^ block[at + width]) & mask;
      block[at] ^= change << width;
      block[at + width] ^= change;
    }
  }
}

}  // namespace

std::uint64_t BitMatrix::count() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::uint64_t>(std::popcount(word));
  return sum;
}

BitMatrix BitMatrix::transposed() const {
  BitMatrix made(size_);
  for (std::size_t rows = 0; rows < row_words_; ++rows) {
    const std::size_t height = std::min<std::size_t>(64, size_ - rows * 64);
    for (std::size_t columns = 0; columns < row_words_; ++columns) {
      Block block{};
      for (std::size_t at = 0; at < height; ++at) block[at] = row(rows * 64 + at)[columns];
      transpose(block);
      const std::size_t width = std::min<std::size_t>(64, size_ - columns * 64);
      for (std::size_t at = 0; at < width; ++at) made.row(columns * 64 + at)[rows] = block[at];
    }
  }
  return made;
}

}  // namespace lockstep::network
