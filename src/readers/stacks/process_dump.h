// What every kind of stack dump comes to: processes with threads with frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"
#include "model/line_origin.h"
#include "readers/source.h"

namespace lockstep::readers {

struct ThreadDump {
  std::string name;
  std::optional<std::int64_t> number;  // the operating system's
  model::Stack frames;                 // innermost first
  bool is_main = false;
  bool holds_lock = false;
  std::uint32_t position = 0;
};

struct ProcessDump {
  model::LineOrigin origin;
  std::string host;
  std::optional<std::int64_t> pid;
  std::vector<ThreadDump> threads;
  std::string failure;        // "Fatal Python error: Segmentation fault"; empty: none
  model::Stack failed_stack;  // of the thread that failed
  std::optional<int> signal;  // that ended it
  std::uint32_t position = 0;
};

// One history for each process, numbered by what the dump says, then by the name of the file. A process that
// neither tells has no number, but its pid, by which other evidence may know it.
model::Job job_of_dumps(const Source& source, std::vector<ProcessDump> dumps);

}  // namespace lockstep::readers
