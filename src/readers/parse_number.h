// A number that is the whole of a text, or none.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace lockstep::readers {

template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Takes the digits at the start of `text` off it.
template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace lockstep::readers
