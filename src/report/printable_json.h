// JSON as reporters write it: indented, valid UTF-8, and safe to look at. A character that would move the
// cursor or reverse the reading order of a terminal is written as \uXXXX, which means the same to a program.
#pragma once

#include <string>

#include "base/json.h"

namespace lockstep::report {

// Ends with a newline.
std::string to_printable_text(const base::Json& json);

}  // namespace lockstep::report
