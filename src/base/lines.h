// Text line by line, as views into it, and the line numbers of places in a text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::base {

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Without its line end ("\n" or "\r\n"). None at the end.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const void* const end = std::memchr(rest_.data(), '\n', rest_.size());
    was_ended_ = end != nullptr;
    const std::size_t length =
        was_ended_ ? static_cast<std::size_t>(static_cast<const char*>(end) - rest_.data()) : rest_.size();
    std::string_view line = rest_.substr(0, length);
    rest_.remove_prefix(was_ended_ ? length + 1 : length);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }

  std::uint32_t number() const { return number_; }  // of the last line, from 1
  bool was_ended() const { return was_ended_; }     // whether the last line had its line end
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::uint32_t number_ = 0;
  bool was_ended_ = true;
};

// The line numbers of places in a text, asked for in ascending order.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  // `place` is a view into the text, not before the last one asked for.
  std::uint32_t line_of(std::string_view place) {
    const auto to = static_cast<std::size_t>(place.data() - text_.data());
    if (to > at_ && to <= text_.size()) {
      line_ += static_cast<std::uint32_t>(std::count(text_.data() + at_, text_.data() + to, '\n'));
      at_ = to;
    }
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

// How many newlines the text has.
std::uint64_t count_lines(std::string_view text);

// Line numbers of places in a long text without counting from its start: keeps how many lines come before
// each of many marks.
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
