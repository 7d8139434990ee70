// Text line by line, as views into it.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

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

}  // namespace lockstep::base
