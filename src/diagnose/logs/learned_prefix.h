// A prefix that no launcher of ours writes, learned from the log itself: a column near the start of the lines
// that takes few values again and again, which are numbered as ranks are, or named as machines are.
//
//     node=3 | step 10 loss 2.3
//     node=0 | step 10 loss 2.3        the second column is "0" to "3" in any order: ranks
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::logs {

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

}  // namespace lockstep::logs
