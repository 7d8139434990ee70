// Everything the given paths hold, each file read by the reader that knows its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job.h"
#include "readers/event_budget.h"
#include "readers/log_file.h"
#include "readers/open_input.h"

namespace lockstep::readers {

struct ReadResult {
  std::vector<model::Job> parts;           // one for each file that was understood, by name of the file
  std::vector<std::string> limits;         // beside those of the parts
  std::size_t files_read = 0;              // that gave a part
  std::vector<LogFile> logs;               // that hold what the job printed, by name
  std::vector<std::string> empty_files;    // which a job may still be about to write
  std::vector<std::string> unknown_files;  // that are neither
};

struct ReadProgress {
  std::size_t files_done = 0;
  std::size_t files = 0;
  std::uint64_t bytes_done = 0;  // as they lie on disk
  std::uint64_t bytes = 0;
};

// Somebody who looks through every log anyway may find the marks of formats on the way. `name` is the log's,
// `files` how many there are. Nothing: they are looked for here.
using FirstLook = std::function<std::optional<LogMarks>(const std::string& name, std::string_view text,
                                                        bool is_mapped_file, std::size_t files)>;

// Said of a log too by whoever looks at it later.
inline constexpr std::string_view kHasShrunk = "got shorter while being read; the part cut off is lost";

struct ReadOptions {
  EventBudget budget;
  std::function<void(const ReadProgress&)> on_progress;  // from any thread, one at a time
  unsigned threads = 0;                                  // 0: as many as there are cores
  TellingLines telling_lines = {};                       // of logs that come as streams, too long to be kept
  FirstLook first_look = {};                             // at what looks like a log, from any thread
};

// Never throws. Holds the parts, and one file for each thread at a time. The result does not depend on the
// number of threads nor on their timing.
ReadResult read_all(const std::vector<std::filesystem::path>& paths, const ReadOptions& options = {});

}  // namespace lockstep::readers
