// Python tracebacks in logs: which exception ended whom, and where it was raised. Lines of several ranks may
// be mixed; each rank's are told apart by what its launcher puts before them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diagnose/logs/line.h"

namespace lockstep::logs {

struct Frame {
  std::string path;
  std::string line;  // its number, as printed
  std::string function;
  std::string source;  // empty: not printed
};

struct RaisedException {
  std::size_t log = 0;
  LineSpan at;                // the line that names the exception
  std::string kind;           // "torch.cuda.OutOfMemoryError"
  std::string message;        // empty: it has none
  std::vector<Frame> frames;  // outermost first; of a deep traceback the last ones
};

// In the order of the logs. Looks at the end of each log, where an exception that ends a job stands.
std::vector<RaisedException> raised_exceptions(std::span<const LogText> logs);

}  // namespace lockstep::logs
