// A text that a job printed: kept as bytes for whoever judges words, and searched for the marks of formats
// that stand in logs. Its lines are not events.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/lines.h"
#include "readers/bytes.h"
#include "readers/source.h"

namespace lockstep::readers {

struct LogFile {
  std::string name;
  std::optional<int> rank;  // where the file's name says that all of it is one rank's
  Bytes bytes;
  base::LineMarks lines = {};
};

// Whether a file that no format knows is printed output: text, and neither a program nor data.
bool looks_like_a_log(const Source& source);

// Whether its first bytes are text of any kind.
bool looks_like_text(const Source& source);

// Every mark that begins in [begin, end).
void for_each_mark(std::string_view text, std::size_t begin, std::size_t end,
                   const std::function<void(LogMark mark, std::size_t place)>& on_mark);

// All marks, and the count of lines, in one pass over a text of any length, on all cores. Pages of a mapped
// file are let go behind it.
LogMarks marks_in(std::string_view text, bool is_mapped_file);

}  // namespace lockstep::readers
