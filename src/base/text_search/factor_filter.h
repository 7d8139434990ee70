// Finds places in a text where a factor stands, at several gigabytes a second, by looking at every fourth
// place only: each factor is long enough to show one of its windows there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/text_search/factors.h"

namespace lockstep::base {

class FactorFilter {
 public:
  explicit FactorFilter(FactorSet set);

  using OnFactor = std::function<void(std::size_t factor, std::size_t begin)>;
  // Every factor that lies within the text and shows the window it is known by in [begin, end), in ascending
  // order but for the few bytes of a factor. `begin` is a multiple of four.
  void scan(std::string_view text, std::size_t begin, std::size_t end, const OnFactor& on_factor) const;

 private:
  struct Window {
    std::uint32_t value = 0;
    std::uint16_t factor = 0;
    std::uint16_t offset = 0;  // of the window in the factor
  };
  // What the first eight bytes must be where only one value will do, without regard to case.
  struct Sketch {
    std::uint64_t mask = 0;
    std::uint64_t value = 0;
  };

  void put_in_order(const std::vector<Window>& windows);
  bool may_stand_around(std::string_view text, std::size_t place) const;
  void look_at(std::string_view text, std::size_t place, const OnFactor& on_factor) const;
  bool stands_at(std::size_t factor, std::string_view text, std::size_t begin) const;

  FactorSet set_;
  std::vector<Sketch> sketches_;  // by factor
  WindowBits bits_;
  std::vector<std::uint32_t>
      first_of_;  // by the highest bits of a hash: its first window; one more at the end
  std::vector<Window> windows_;
};

}  // namespace lockstep::base
