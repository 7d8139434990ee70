// A text that a job printed: kept as bytes for whoever judges words. Its lines are not events.
#pragma once

#include <optional>
#include <string>

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

}  // namespace lockstep::readers
