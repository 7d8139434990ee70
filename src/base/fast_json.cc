#include "base/fast_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

namespace lockstep::base {

namespace {

template <typename T>
std::optional<T> value_of(simdjson::simdjson_result<T> result) {
  T value{};
  if (std::move(result).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_in(double number) {
  constexpr double kLargest = 9007199254740992.0;  // beyond, a double does not hold every integer
  if (!(std::abs(number) <= kLargest) || std::trunc(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

std::optional<FastJson> FastJsonParser::parse(std::string_view text) {
  if (text.empty()) return std::nullopt;  // simdjson copies from it, and an empty view may point nowhere
  return value_of(parser_.parse(text.data(), text.size(), true));
}

std::optional<FastJson> member(FastJson object, std::string_view key) {
  if (!object.is_object()) return std::nullopt;
  return value_of(object.at_key(key));
}

std::optional<std::string_view> string_member(FastJson object, std::string_view key) {
  const std::optional<FastJson> value = member(object, key);
  return value ? string_of(*value) : std::nullopt;
}

std::optional<bool> bool_member(FastJson object, std::string_view key) {
  const std::optional<FastJson> value = member(object, key);
  return value ? value_of(value->get_bool()) : std::nullopt;
}

std::optional<double> number_member(FastJson object, std::string_view key) {
  const std::optional<FastJson> value = member(object, key);
  return value ? value_of(value->get_double()) : std::nullopt;
}

std::optional<std::int64_t> integer_member(FastJson object, std::string_view key) {
  const std::optional<FastJson> value = member(object, key);
  return value ? integer_of(*value) : std::nullopt;
}

std::optional<std::int64_t> integer_of(FastJson value) {
  if (const auto integer = value_of(value.get_int64())) return integer;
  if (const auto text = value_of(value.get_string())) return integer_in(*text);
  if (const auto number = value_of(value.get_double())) return integer_in(*number);
  return std::nullopt;
}

std::optional<std::string_view> string_of(FastJson value) {
  return value_of(value.get_string());
}

namespace {

constexpr std::string_view kSpace = " \t\r\n";

// The index behind the string that begins at `text[begin]`, or npos when the text ends inside it. A plain
// loop: most strings are shorter than what a call of memchr costs.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data() + begin + 1; at < end; ++at) {
    if (*at == '"') return static_cast<std::size_t>(at + 1 - text.data());
    if (*at == '\\') ++at;
  }
  return std::string_view::npos;
}

constexpr std::array<bool, 256> structural_characters() {
  std::array<bool, 256> is_structural{};
  for (const char c : {'"', '{', '}', '[', ']'}) is_structural[static_cast<unsigned char>(c)] = true;
  return is_structural;
}

// The index behind the object or array that begins at `text[begin]`, or npos when the text ends inside it.
std::size_t end_of_nested(std::string_view text, std::size_t begin) {
  static constexpr std::array<bool, 256> kIsStructural = structural_characters();
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size();) {
    const char c = text[at];
    if (!kIsStructural[static_cast<unsigned char>(c)]) {
      ++at;
      continue;
    }
    if (c == '"') {
      at = end_of_string(text, at);
      if (at == std::string_view::npos) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at + 1;
    ++at;
  }
  return std::string_view::npos;
}

std::string_view without_leading_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

}  // namespace

std::string_view array_member(std::string_view text, std::string_view key) {
  text = without_leading_space(text);
  if (!text.starts_with('{')) return {};
  std::size_t at = 1;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      at = end_of_nested(text, at);
    } else if (c == '"') {
      const std::size_t end = end_of_string(text, at);
      if (end == std::string_view::npos) return {};
      const std::string_view word = text.substr(at + 1, end - at - 2);
      const std::string_view after = without_leading_space(text.substr(end));
      if (word == key && after.starts_with(':')) {
        const std::string_view value = without_leading_space(after.substr(1));
        return value.starts_with('[') ? value : std::string_view{};
      }
      at = end;
    } else if (c == '}') {
      return {};
    } else {
      ++at;
    }
  }
  return {};
}

JsonObjects::JsonObjects(std::string_view array) : rest_(without_leading_space(array)) {
  rest_ = rest_.starts_with('[') ? rest_.substr(1) : std::string_view{};
}

JsonObjects JsonObjects::stream(std::string_view text) {
  JsonObjects objects;
  objects.rest_ = text;
  objects.is_stream_ = true;
  return objects;
}

std::optional<std::string_view> JsonObjects::next() {
  while (!rest_.empty()) {
    const char c = rest_.front();
    if (is_stream_ && c != '{') {
      const std::size_t begin = rest_.find('{');
      rest_ = begin == std::string_view::npos ? std::string_view{} : rest_.substr(begin);
    } else if (c == ']') {
      was_closed_ = true;
      rest_ = {};
    } else if (c == '{' || c == '[') {
      const std::size_t end = end_of_nested(rest_, 0);
      const std::string_view nested = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end);
      if (c == '{' && end != std::string_view::npos) return nested;
      if (c == '{') cut_object_ = nested;
    } else if (c == '"') {
      const std::size_t end = end_of_string(rest_, 0);
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end);
    } else {
      rest_.remove_prefix(1);
    }
  }
  return std::nullopt;
}

JsonMembers::JsonMembers(std::string_view object) : rest_(without_leading_space(object)) {
  rest_ = rest_.starts_with('{') ? rest_.substr(1) : std::string_view{};
}

std::optional<JsonMembers::Member> JsonMembers::next() {
  rest_ = without_leading_space(rest_);
  if (rest_.starts_with(',')) rest_ = without_leading_space(rest_.substr(1));
  was_closed_ = was_closed_ || rest_.starts_with('}');
  const std::size_t end_of_key = rest_.starts_with('"') ? end_of_string(rest_, 0) : std::string_view::npos;
  if (end_of_key == std::string_view::npos) {
    rest_ = {};
    return std::nullopt;
  }
  Member member{.key = rest_.substr(1, end_of_key - 2),
                .value = without_leading_space(rest_.substr(end_of_key))};
  if (!member.value.starts_with(':')) {
    rest_ = {};
    return std::nullopt;
  }
  member.value = without_leading_space(member.value.substr(1));
  std::size_t end = std::string_view::npos;
  if (member.value.starts_with('{') || member.value.starts_with('[')) {
    end = end_of_nested(member.value, 0);
  } else if (member.value.starts_with('"')) {
    end = end_of_string(member.value, 0);
  } else {
    end = member.value.find_first_of(",}");
  }
  member.is_whole = end != std::string_view::npos;
  rest_ = member.is_whole ? member.value.substr(end) : std::string_view{};
  member.value = member.value.substr(0, end);
  return member;
}

}  // namespace lockstep::base
