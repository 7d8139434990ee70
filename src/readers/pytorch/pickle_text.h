// Values that the old protocol of pickle writes as a line of text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "readers/pytorch/pickle_value.h"

namespace lockstep::readers {

// 'I' and 'L': "12", "12L", and "01" for true. Beyond 64 bits it is kOther.
PickleValue pickle_integer_line(std::string_view line);
PickleValue pickle_float_line(std::string_view line);

// 'S': in quotes, with Python's escapes. 'V': with \uXXXX only. Nothing when the line holds no text; the line
// itself where it has no escapes is not copied: then `decoded` stays empty and the result is a part of it.
std::optional<std::string_view> pickle_quoted_line(std::string_view line, std::string& decoded);
std::string_view pickle_unicode_line(std::string_view line, std::string& decoded);

}  // namespace lockstep::readers
