// Frames as Python prints them.
#pragma once

#include <optional>
#include <string_view>

#include "model/job.h"

namespace lockstep::readers {

// `File "train.py", line 12, in main` of a traceback and `File "train.py", line 12 in main` of faulthandler.
std::optional<model::Frame> parse_python_frame(std::string_view text);

// The frames of the last traceback in the text, innermost first: of an exception that was raised while
// another was handled, or from another, that is the one which ended the program.
model::Stack last_traceback(std::string_view text);

}  // namespace lockstep::readers
