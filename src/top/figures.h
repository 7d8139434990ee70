// Figures short enough for a column, and the sign for one that is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::top {

std::string short_time(
    std::int64_t ns);  // "15us", "812ms", "3.2s", "4m10s", "2h03m", "9d04h"; at most 6 columns
std::string short_rate(double per_second);  // "0.08", "12.4", "1240"
std::string short_share(double share);      // "38%"
std::string grouped(std::uint64_t number);  // "1,024"

template <typename T>
std::string or_dash(const std::optional<T>& value, std::string (*in_words)(T)) {
  return value ? in_words(*value) : "-";
}

}  // namespace lockstep::top
