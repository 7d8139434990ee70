// Finds places in a text where a factor stands, at several gigabytes a second, by looking at every fourth
// place only: each factor is long enough to show one of its windows there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/factors.h"

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
    std::uint32_t hash = 0;
    std::uint32_t value = 0;
    std::uint32_t factor = 0;
    std::uint32_t offset = 0;  // of the window in the factor
  };

  void add_windows(const std::vector<std::vector<unsigned char>>& folded, std::uint32_t factor,
                   std::uint32_t offset);
  void put_windows_in_order();
  std::size_t rank_of(std::uint32_t hash) const;
  void look_at(std::string_view text, std::size_t place, const OnFactor& on_factor) const;
  bool stands_at(const Factor& factor, std::string_view text, std::size_t begin) const;
  std::size_t scan_by_eights(std::string_view text, std::size_t begin, std::size_t end,
                             const OnFactor& on_factor) const;

  FactorSet set_;
  std::vector<std::uint32_t> bits_;      // one bit for each hash: some window has it
  std::vector<std::uint32_t> ranks_;     // by word of bits_: how many bits are set before it
  std::vector<std::uint32_t> first_of_;  // by rank of a hash: its first window; one more at the end
  std::vector<Window> windows_;          // by hash
};

}  // namespace lockstep::base
