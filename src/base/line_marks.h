// Line numbers of places in a long text without counting from its start: how many lines there are before each
// of many marks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep::base {

// Of newlines.
std::uint64_t count_lines(std::string_view text);

class LineMarks {
 public:
  // Marks are added in ascending order: `lines` lines lie between the mark before and this one.
  void add(std::size_t offset, std::uint64_t lines);

  // Up to here lines are counted.
  std::size_t end() const { return marks_.back().offset; }

  // From 1. Counts from the last mark before the place.
  std::int64_t line_at(std::string_view text, std::size_t offset) const;

 private:
  struct Mark {
    std::size_t offset = 0;
    std::uint64_t lines_before = 0;
  };
  std::vector<Mark> marks_ = {{}};
};

}  // namespace lockstep::base
