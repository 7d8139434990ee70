// Figures and states of ranks short enough for a column, and the sign for a figure that is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "run/watch/snapshot.h"
#include "top/line.h"

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

// The states of ranks in words and inks.
inline constexpr int kWidestState = 9;

std::string_view word_of(watch::RankState state);  // "in call"; at most kWidestState columns
std::string_view id_of(watch::RankState state);    // "communicating": as programs read it
Ink ink_of(watch::RankState state);

}  // namespace lockstep::top
