// Lists that a dump writes again and again with the same bytes: stacks, shapes, types. A list of nothing but
// numbers and things from the memo is the same list wherever its bytes are the same, so it is built once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "readers/pytorch/number_cache.h"

namespace lockstep::readers {

class PickleLiterals {
 public:
  static constexpr std::uint32_t kNew = static_cast<std::uint32_t>(-1);

  struct Found {
    std::size_t size = 0;            // in bytes; 0: not such a list
    std::uint32_t container = kNew;  // the one built before
  };

  // `text` begins at the list's own instruction. A new list is remembered, for built() to name its container.
  Found find(std::string_view text) {
    const std::uint32_t number = guesses_[context_ % kGuesses];
    if (number < literals_.size()) {
      const Literal& guess = literals_[number];
      if (guess.container != kNew && text.starts_with(guess.text)) {
        came(number);
        return {.size = guess.text.size(), .container = guess.container};
      }
    }
    return find_anywhere(text);
  }
  bool is_awaited(const char* end_of_list) const { return end_of_list == awaited_end_; }
  void built(std::uint32_t container);

  // The memo was changed: the same bytes may mean something else.
  void forget_all();

 private:
  struct Literal {
    std::string_view text;
    std::uint32_t container = kNew;
  };

  static constexpr std::size_t kMostLiterals = 4096;
  static constexpr std::size_t kGuesses = 1024;
  static constexpr std::uint64_t kLastThree = (std::uint64_t{1} << 60) - 1;

  Found find_anywhere(std::string_view text);
  // The context is the last three lists: an entry has five, and some of them are alike.
  void came(std::uint32_t number) {
    guesses_[context_ % kGuesses] = number;
    recent_ = (recent_ << 20 | number) & kLastThree;
    context_ = recent_ * 0x9E3779B97F4A7C15U >> 40;
  }
  std::size_t length(std::string_view text);

  std::vector<Literal> literals_;
  NumberCache numbers_;
  std::array<std::uint32_t, kGuesses> guesses_{};  // what came the last time behind such a context
  std::uint64_t recent_ = 0;
  std::uint64_t context_ = 0;
  const char* awaited_end_ = nullptr;
  std::uint32_t awaited_ = 0;
  const char* none_before_ = nullptr;  // a list that begins before this is none
};

}  // namespace lockstep::readers
