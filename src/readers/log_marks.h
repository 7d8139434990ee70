// Finds the marks of formats that stand in logs, and counts lines, in one pass over a text of any length, on
// all cores.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "model/log_marks.h"

namespace lockstep::readers {

using model::kLogMarks;
using model::LogMark;
using model::LogMarks;

// Every mark that begins in [begin, end).
void for_each_mark(std::string_view text, std::size_t begin, std::size_t end,
                   const std::function<void(LogMark mark, std::size_t place)>& on_mark);

// Pages of a mapped file are let go behind it.
LogMarks marks_in(std::string_view text, bool is_mapped_file);

}  // namespace lockstep::readers
