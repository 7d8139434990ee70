// Parts of one log that are looked through together: a look costs more to begin than a short line does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_search/pattern_set.h"

namespace lockstep::logs {

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

}  // namespace lockstep::logs
