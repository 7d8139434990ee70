#include "readers/pytorch/pickle_text.h"

#include <charconv>

namespace lockstep::readers {
namespace {

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18 & 0x07));
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// The code point behind "\x", "\u" or "\U", when all its digits are there.
std::optional<std::uint32_t> escaped_code(std::string_view rest, std::size_t digits) {
  std::uint32_t code = 0;
  if (rest.size() < digits) return std::nullopt;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + digits, code, 16);
  return error == std::errc{} && end == rest.data() + digits ? std::optional(code) : std::nullopt;
}

std::size_t digits_behind(char letter, bool has_all_escapes) {
  if (letter == 'u') return 4;
  if (letter == 'U') return 8;
  return letter == 'x' && has_all_escapes ? 2 : 0;
}

char plain_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

std::string_view unescaped(std::string_view text, bool has_all_escapes, std::string& decoded) {
  if (text.find('\\') == std::string_view::npos) return text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      decoded.push_back(text[at]);
      continue;
    }
    const char letter = text[at + 1];
    const std::size_t digits = digits_behind(letter, has_all_escapes);
    const auto code = digits > 0 ? escaped_code(text.substr(at + 2), digits) : std::nullopt;
    if (code) {
      append_utf8(decoded, *code);
      at += 1 + digits;
    } else if (has_all_escapes) {
      decoded.push_back(plain_escape(letter));
      ++at;
    } else {
      decoded.push_back('\\');
    }
  }
  return decoded;
}

}  // namespace

PickleValue pickle_integer_line(std::string_view line) {
  if (line == "00" || line == "01") return PickleValue::of_bool(line == "01");
  if (line.ends_with('L')) line.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  const bool is_whole = error == std::errc{} && end == line.data() + line.size();
  return is_whole ? PickleValue::of_integer(value) : PickleValue::other();
}

PickleValue pickle_float_line(std::string_view line) {
  double value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  const bool is_whole = error == std::errc{} && end == line.data() + line.size();
  return is_whole ? PickleValue::of_float(value) : PickleValue::other();
}

std::optional<std::string_view> pickle_quoted_line(std::string_view line, std::string& decoded) {
  const bool is_quoted =
      line.size() >= 2 && line.front() == line.back() && (line.front() == '\'' || line.front() == '"');
  if (!is_quoted) return std::nullopt;
  return unescaped(line.substr(1, line.size() - 2), true, decoded);
}

std::string_view pickle_unicode_line(std::string_view line, std::string& decoded) {
  return unescaped(line, false, decoded);
}

}  // namespace lockstep::readers
