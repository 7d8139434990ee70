// The one pass over a log: every line that a pattern of the catalogue knows, and how many lines there are.
// Lines without a match cost nothing beyond the pass itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_search/pattern_set.h"
#include "catalogue/catalogue.h"
#include "diagnose/logs/line.h"
#include "model/log_marks.h"

namespace lockstep::logs {

// Parts of one log that are looked through together: a look costs more to begin than a short line does.
class JoinedParts {
 public:
  void clear();
  // In the order of the log.
  void add(std::string_view bytes, std::size_t begin, std::size_t end);
  // `on_match(id, end)`, `end` in the log. A match that reaches from one part into the next is told too.
  void scan(base::PatternScanner& scanner, const base::PatternScanner::OnMatch& on_match);

 private:
  std::string text_;
  std::vector<std::size_t> begins_;         // in text_
  std::vector<std::size_t> begins_in_log_;  // of the same parts
};

struct Hit {
  unsigned pattern = 0;  // id in Catalogue::telling()
  LineSpan line;
};

struct Scan {
  std::vector<Hit> hits;                  // in the order of the log; a pattern at most once a line
  std::map<std::size_t, LineSpan> facts;  // fact: the first line that shows it, in the two ends of the log
  model::LogMarks marks;  // of formats, where the catalogue has a prefilter; always those of lines
};

// From any thread, one at a time for each log.
using OnScanned = std::function<void(std::uint64_t bytes_done, std::uint64_t bytes)>;

// One for each log, on all cores; the same whatever their number. Memory does not grow with the logs.
// `seen_before`, where there are any: what look_through() gave for each log, or nothing.
std::vector<Scan> scan_logs(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                            const OnScanned& on_scanned = {},
                            std::vector<std::optional<Scan>> seen_before = {});

// All but the facts, of one of `logs` logs.
Scan look_through(const catalogue::Catalogue& catalogue, const LogText& log, std::size_t logs,
                  const OnScanned& on_scanned = {});

// The hits alone, of a part of a log, in their order.
std::vector<Hit> hits_in(const catalogue::Catalogue& catalogue, std::string_view text);

}  // namespace lockstep::logs
