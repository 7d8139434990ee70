// Text from a file, code point by code point, and as lines that are safe to print: escaped, wrapped, and
// shortened where nobody would read all of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::report {

// Walking over UTF-8 that is already known to be valid, as base/escape.h gives it.

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

// The lines of `text`, each escaped for a terminal. A final newline adds no empty line; \r before \n goes.
std::vector<std::string> escaped_lines(std::string_view text);

// One escaped line broken at spaces into pieces of at most `width` columns (at least 1). Leading spaces stay
// on the first piece; a word wider than `width` is split.
std::vector<std::string> wrap(std::string_view line, int width);

// The words of `text`, escaped already, in lines of at most 80 columns that begin with `indent` spaces.
std::string paragraph(std::string_view text, std::size_t indent);

// The escaped lines of evidence. Of a long text the beginning and the end are kept (a traceback ends with
// its reason), with a line between that says how many characters were left out.
std::vector<std::string> excerpt(std::string_view text);

// How many pieces of evidence of one finding a report for people shows; the others are counted.
inline constexpr std::size_t kEvidenceShown = 8;

}  // namespace lockstep::report
