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

// From the '[' that is the value of `key` in the outermost object, to the end of the text. Empty when the
// outermost object has no such member before the text ends.
std::string_view array_member(std::string_view text, std::string_view key);

// The objects inside a JSON array one after another, as text: for arrays too long to hold, and for files that
// were cut in the middle of one. Nothing is parsed here beyond strings and brackets.
class JsonObjects {
 public:
  // `array` begins at '[' (white space before it is skipped).
  explicit JsonObjects(std::string_view array);

  // Objects that follow one another without an array around them; whatever lies between them is passed over.
  static JsonObjects stream(std::string_view text);

  // The next element that is an object; other elements are passed over. None at the end.
  std::optional<std::string_view> next();

  // Once next() returned none: whether the array was closed, or the text ended inside it.
  bool was_closed() const { return was_closed_; }

  // Once next() returned none: the object inside which the text ended. Empty when it ended between two.
  std::string_view cut_object() const { return cut_object_; }

 private:
  JsonObjects() = default;

  std::string_view rest_;
  std::string_view cut_object_;
  bool was_closed_ = false;
  bool is_stream_ = false;
};

// The members of an object in their order, keys and values as text. A value that the text cuts is its rest.
class JsonMembers {
 public:
  struct Member {
    std::string_view key;  // between its quotes, escapes as they are
    std::string_view value;
    bool is_whole = true;
  };

  // `object` begins at '{' (white space before it is skipped).
  explicit JsonMembers(std::string_view object);

  std::optional<Member> next();

  // Once next() returned none: whether the object was closed, or the text ended inside it.
  bool was_closed() const { return was_closed_; }

 private:
  std::string_view rest_;
  bool was_closed_ = false;
};

}  // namespace lockstep::base
