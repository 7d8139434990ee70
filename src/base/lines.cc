#include "base/lines.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace lockstep::base {
namespace {

using Lanes __attribute__((vector_size(16))) = unsigned char;

// Newlines in `kRounds` times 16 bytes: as many rounds as a lane of one byte can count.
constexpr std::size_t kRounds = 255;

std::uint64_t count_in_rounds(const char* at) {
  Lanes sums = {};
  for (std::size_t round = 0; round < kRounds; ++round) {
    Lanes bytes;
    std::memcpy(&bytes, at + round * sizeof bytes, sizeof bytes);
    sums -= reinterpret_cast<Lanes>(bytes == static_cast<unsigned char>('\n'));
  }
  std::uint64_t sum = 0;
  for (std::size_t lane = 0; lane < sizeof sums; ++lane) sum += sums[lane];
  return sum;
}

}  // namespace

std::uint64_t count_lines(std::string_view text) {
  constexpr std::size_t kStep = kRounds * sizeof(Lanes);
  std::uint64_t count = 0;
  while (text.size() >= kStep) {
    count += count_in_rounds(text.data());
    text.remove_prefix(kStep);
  }
  return count + static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

void LineMarks::add(std::size_t offset, std::uint64_t lines) {
  marks_.push_back({offset, marks_.back().lines_before + lines});
}

std::int64_t LineMarks::line_at(std::string_view text, std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(marks_, offset, {}, &Mark::offset);
  const Mark& mark = *(behind - 1);
  return static_cast<std::int64_t>(mark.lines_before +
                                   count_lines(text.substr(mark.offset, offset - mark.offset)) + 1);
}

}  // namespace lockstep::base
