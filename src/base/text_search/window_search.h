// The innermost loop of looking through a text: which windows of a run of them are wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::base {

inline constexpr std::size_t kWindowBytes = 4;

// What a window looks like without regard to case.
inline constexpr std::uint32_t kFold = 0x20202020U;

inline std::uint32_t hash_of_window(std::uint32_t folded, std::uint32_t mix) {
  const std::uint32_t product = folded * mix;
  return product ^ (product >> 15U);
}

// Which windows of four bytes are wanted, in 32 KiB: what a core's nearest cache holds. Three bits for each,
// in one word, so that one look answers.
class WindowBits {
 public:
  static constexpr unsigned kWordShift = 19;  // the word is the hash's highest bits
  static constexpr unsigned kFirstBitShift = 14;
  static constexpr unsigned kSecondBitShift = 9;
  static constexpr unsigned kThirdBitShift = 4;

  void add(std::uint32_t hash) { words_[hash >> kWordShift] |= bits_of(hash); }
  // Never false for one that was added.
  bool may_have(std::uint32_t hash) const {
    return (words_[hash >> kWordShift] & bits_of(hash)) == bits_of(hash);
  }
  const std::uint32_t* words() const { return words_.data(); }

 private:
  // Counted from the highest bit, which is where vectors look at one.
  static std::uint32_t bits_of(std::uint32_t hash) {
    constexpr std::uint32_t kHighest = 1U << 31U;
    return kHighest >> ((hash >> kFirstBitShift) & 31U) | kHighest >> ((hash >> kSecondBitShift) & 31U) |
           kHighest >> ((hash >> kThirdBitShift) & 31U);
  }

  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(std::size_t{1} << (32 - kWordShift));
};

inline constexpr std::size_t kRunOfWindows = 64;  // one bit of a word for each

// One bit for each of the windows that follow one another at `text`; a few that are not wanted among them.
std::uint64_t wanted_windows(const WindowBits& bits, std::uint32_t mix, const char* text);

// The same without the processor's vectors.
std::uint64_t wanted_windows_one_by_one(const WindowBits& bits, std::uint32_t mix, const char* text);

}  // namespace lockstep::base
