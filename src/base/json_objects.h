// The objects inside a JSON array one after another, as text: for arrays too long to hold, and for files that
// were cut in the middle of one. Nothing is parsed here beyond strings and brackets.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::base {

// From the '[' that is the value of `key` in the outermost object, to the end of the text. Empty when the
// outermost object has no such member before the text ends.
std::string_view array_member(std::string_view text, std::string_view key);

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
