// Who wrote a line of a log and when: from the file, from the launcher's prefix, or from a prefix that was
// learned. Made once from samples of the logs; asked only for lines that matter.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "diagnose/logs/learned_prefix.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/log_text.h"

namespace lockstep::logs {

struct LineSource {
  std::optional<int> rank;
  std::string host;                     // empty: not said
  std::optional<std::int64_t> time_ns;  // of the log's own clock
};

class LineSources {
 public:
  explicit LineSources(std::span<const LogText> logs);

  // Where the line itself has no time, the last one before it counts.
  LineSource at(std::size_t log, LineSpan line) const;

  // What the samples show of the whole job.
  const std::set<int>& ranks() const { return ranks_; }
  const std::set<std::string>& hosts() const { return hosts_; }

 private:
  LineSource of_text(std::size_t log, std::string_view line) const;

  std::span<const LogText> logs_;
  std::vector<LearnedPrefix> learned_;  // by log
  std::set<int> ranks_;
  std::set<std::string> hosts_;
};

}  // namespace lockstep::logs
