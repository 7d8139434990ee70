// Who wrote a line of a log and when: from the file, from the launcher's prefix, or from a prefix that was
// learned. Made once from samples of the logs; asked only for lines that matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/logs/line.h"

namespace lockstep::logs {

// A prefix that no launcher of ours writes, learned from the log itself: a column near the start of the lines
// that takes few values again and again, which are numbered as ranks are, or named as machines are.
//
//     node=3 | step 10 loss 2.3
//     node=0 | step 10 loss 2.3        the second column is "0" to "3" in any order: ranks

// Which word of a line, between which characters.
struct Column {
  std::size_t index = 0;
  char before = '\0';
  char after = '\0';

  auto operator<=>(const Column&) const = default;
};

struct LearnedPrefix {
  std::optional<Column> rank;
  std::string rank_stem;  // what stands before the number in the word: "node" of "node3"
  std::optional<Column> host;

  std::optional<int> rank_of(std::string_view line) const;
  std::string_view host_of(std::string_view line) const;  // empty: the line has none
};

// From lines that follow each other in one log; empty where no column behaves so.
LearnedPrefix learn_prefix(std::span<const std::string_view> lines);

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
  std::vector<LearnedPrefix> learned_;       // by log
  std::vector<std::optional<int>> of_file_;  // by log: the rank that wrote all of it
  std::set<int> ranks_;
  std::set<std::string> hosts_;
};

}  // namespace lockstep::logs
