// The lines of a text one after another, without their ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::readers {

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }

  std::uint32_t number() const { return number_; }  // of the line that next() gave, from 1

 private:
  std::string_view rest_;
  std::uint32_t number_ = 0;
};

}  // namespace lockstep::readers
