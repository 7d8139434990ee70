// Fields of lines that other programs print: the number here, the word behind that key.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep::base {

// The whole text as a number.
template <std::integral T>
std::optional<T> number_in(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What follows the first `key`, to the end of the text. Empty when the key is not there.
inline std::string_view rest_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + key.size());
}

// The text up to the first delimiter. One character is found many times faster than one of several.
inline std::string_view word_of(std::string_view text, char delimiter = ' ') {
  return text.substr(0, text.find(delimiter));
}
inline std::string_view word_of(std::string_view text, std::string_view delimiters) {
  return text.substr(0, text.find_first_of(delimiters));
}

// The word that follows the first `key`.
template <typename Delimiter = char>
std::string_view word_after(std::string_view text, std::string_view key, Delimiter delimiter = ' ') {
  return word_of(rest_after(text, key), delimiter);
}

template <std::integral T>
std::optional<T> number_after(std::string_view text, std::string_view key, int base = 10) {
  return number_in<T>(word_after(text, key), base);
}

// The first line, which is taken off the text.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace lockstep::base
