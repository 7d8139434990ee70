// Lists that a dump writes again and again with the same bytes: stacks, shapes, types. A list of nothing but
// numbers and things from the memo is the same list wherever its bytes are the same, so it is built once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep::readers {

// A key from several numbers. Equal sequences give equal keys; different ones differ, but for an accident of
// one in 2^64.
class KeyOf {
 public:
  KeyOf& add(std::uint64_t number) {
    const __uint128_t product = static_cast<__uint128_t>(key_ ^ number) * 0x9E3779B97F4A7C15U;
    key_ =
        static_cast<std::uint64_t>(product) + static_cast<std::uint64_t>(product >> 64) + 0xD1B54A32D192ED03U;
    return *this;
  }
  KeyOf& add(const void* pointer) { return add(reinterpret_cast<std::uintptr_t>(pointer)); }
  std::uint64_t key() const { return key_; }

 private:
  std::uint64_t key_ = 0x2545F4914F6CDD1DU;
};

// Small numbers for 64-bit keys, looked up several times for each entry of a dump: open addressing, no
// removal.
class NumberCache {
 public:
  static constexpr std::uint32_t kNotKept = static_cast<std::uint32_t>(-1);

  // The number kept for the key. A new key gets what make() returns; kNotKept is returned and not kept.
  template <typename Make>
  std::uint32_t find_or(std::uint64_t key, Make&& make) {
    for (std::size_t at = key & mask(); places_[at].number != kNotKept; at = (at + 1) & mask()) {
      if (places_[at].key == key) return places_[at].number;
    }
    const std::uint32_t number = make();
    if (number == kNotKept) return number;
    if (2 * (count_ + 1) > places_.size()) grow();
    insert({.key = key, .number = number});
    return number;
  }

 private:
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t number = kNotKept;
  };

  std::size_t mask() const { return places_.size() - 1; }

  void insert(const Place& place) {
    std::size_t at = place.key & mask();
    while (places_[at].number != kNotKept) at = (at + 1) & mask();
    places_[at] = place;
    ++count_;
  }

  void grow() {
    std::vector<Place> before(places_.size() * 2);
    before.swap(places_);
    count_ = 0;
    for (const Place& place : before) {
      if (place.number != kNotKept) insert(place);
    }
  }

  std::vector<Place> places_ = std::vector<Place>(64);
  std::size_t count_ = 0;
};

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

  static constexpr std::size_t kMaxLiterals = 4096;
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
