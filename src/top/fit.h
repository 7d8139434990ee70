// Text made to fit a number of columns. Every text given here is already safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::top {

// At most `columns` wide; what was cut ends with "…". Never half of a character.
std::string cut(std::string_view text, int columns);

// Exactly `columns` wide, cut or filled with blanks on the right (left) side.
std::string left_aligned(std::string_view text, int columns);
std::string right_aligned(std::string_view text, int columns);

// Text that came from a file, made safe; of a very long one only the beginning.
std::string safe(std::string_view from_a_file);

}  // namespace lockstep::top
