// The line numbers of places in a text, asked for in ascending order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace lockstep::base {

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

}  // namespace lockstep::base
