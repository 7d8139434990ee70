// Small numbers for 64-bit keys, looked up several times for each entry of a dump: open addressing, no
// removal.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace lockstep::readers
