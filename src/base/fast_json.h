// Large foreign JSON, at one edge: simdjson's values with our questions. Text that is cut or broken gives no
// value instead of an exception. base/json.h is for our own documents.
#pragma once

#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <string_view>

namespace lockstep::base {

using FastJson = simdjson::dom::element;

// A value lives until the next parse() of the same parser.
class FastJsonParser {
 public:
  std::optional<FastJson> parse(std::string_view text);

 private:
  simdjson::dom::parser parser_;
};

// Each is empty when the member is missing or of another kind.
std::optional<FastJson> member(FastJson object, std::string_view key);
std::optional<std::string_view> string_member(FastJson object, std::string_view key);
std::optional<bool> bool_member(FastJson object, std::string_view key);
std::optional<double> number_member(FastJson object, std::string_view key);
// Also from a string of digits: several writers quote their numbers.
std::optional<std::int64_t> integer_member(FastJson object, std::string_view key);

// Calls `use` with each element; with none when the value is no array.
template <typename Use>
void for_each_element(const std::optional<FastJson>& value, const Use& use) {
  simdjson::dom::array list;
  if (!value || value->get_array().get(list) != simdjson::SUCCESS) return;
  for (const FastJson element : list) use(element);
}

// The value itself as an integer.
std::optional<std::int64_t> integer_of(FastJson value);
std::optional<std::string_view> string_of(FastJson value);

}  // namespace lockstep::base
