#include "diagnose/logs/said_done.h"

#include <algorithm>
#include <map>

#include "base/text_search/regex.h"
#include "diagnose/logs/line.h"

namespace lockstep::logs {
namespace {

// Of all ranks of a log: the last lines of each are in here, or it is not said to be done.
constexpr std::size_t kEndOfLog = std::size_t{16} << 10;

bool says_done(std::string_view line) {
  static const base::Regex done = base::Regex::of_our_own(
      R"(\b(done|finished|training (is )?(complete|over|ended)|completed( successfully)?)\b)");
  static const base::Regex not_really = base::Regex::of_our_own(
      R"(\b(not|never|un\w+|fail\w*|\w*error\w*|\w*exception\w*|with exit|abort\w*)\b)");
  return done.found_in(line) && !not_really.found_in(line);
}

}  // namespace

std::set<int> ranks_that_said_done(std::span<const LogText> logs, const LineSources& sources) {
  std::set<int> done;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const std::string_view bytes = logs[log].bytes;
    std::map<int, bool> is_done;  // by the last line of each
    for_each_tail_line(bytes, kEndOfLog, [&](std::string_view line, LineSpan span) {
      const std::optional<int> rank = logs[log].rank ? logs[log].rank : sources.at(log, span).rank;
      if (rank) is_done[*rank] = says_done(line);
    });
    for (const auto& [rank, is_last_word] : is_done) {
      if (is_last_word) done.insert(rank);
    }
    let_go(logs[log]);
  }
  return done;
}

bool every_rank_said_done(std::span<const LogText> logs, const LineSources& sources,
                          const std::set<int>& ranks) {
  return !ranks.empty() && std::ranges::includes(ranks_that_said_done(logs, sources), ranks);
}

}  // namespace lockstep::logs
