// Walking over UTF-8 that is already known to be valid, as base/escape.h gives it.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::report {

// The bytes of the first code point of `text`, which is not empty.
std::string_view first_code_point(std::string_view text);

// Its number.
char32_t code_point_value(std::string_view code_point);

std::size_t count_code_points(std::string_view text);

// How many bytes of `text` hold its first (last) `count` code points; all of them if there are fewer.
std::size_t bytes_of_first(std::size_t count, std::string_view text);
std::size_t bytes_of_last(std::size_t count, std::string_view text);

// Terminal columns: 2 for wide East Asian characters and emoji, 0 for combining marks, else 1.
int display_width(std::string_view text);

}  // namespace lockstep::report
