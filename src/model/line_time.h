// The time that a line of a log begins with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::model {

// Takes the time off the start of the text, with the brackets, commas and blanks around it:
//     2024-11-02 10:00:01,123   2024-11-02T10:00:01.123456789Z   [2024-11-02 10:00:01.5]   2021/01/10
//     08:10:00 I1102 10:00:01.123456     Nov  2 10:00:01     Sat Nov  2 10:00:01 2024     10:00:01
// In nanoseconds since 1970 of the log's own clock; what names no year counts from 1970, what names no day
// from midnight. Times of one log are comparable, those of different styles are not.
std::optional<std::int64_t> take_time(std::string_view& text);

}  // namespace lockstep::model
