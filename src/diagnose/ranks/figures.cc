#include "diagnose/ranks/figures.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace lockstep::ranks {
namespace {

// Two digits, or all of those before the point.
std::string two_digits(double value) {
  return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

std::string percent(double share) {
  return two_digits(share * 100) + " %";
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string duration_in_words(double duration_ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const Unit& unit : kUnits) {
    if (duration_ns >= unit.ns) return two_digits(duration_ns / unit.ns) + " " + unit.name;
  }
  return fmt::format("{:.0f} ns", duration_ns);
}

}  // namespace lockstep::ranks
