#include "base/fast_json.h"

#include <charconv>
#include <cmath>
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

}  // namespace lockstep::base
