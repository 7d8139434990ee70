#include "base/json_objects.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/fast_json.h"

namespace lockstep::base {
namespace {

struct Found {
  std::vector<std::string> objects;
  bool was_closed = false;
};

Found objects_in(std::string_view array) {
  Found found;
  JsonObjects objects(array);
  while (const auto object = objects.next()) found.objects.emplace_back(*object);
  found.was_closed = objects.was_closed();
  return found;
}

TEST(JsonObjects, FindsEachElementWhateverItsStringsHold) {
  const Found found = objects_in(R"( [{"a":"}]\""}, 3, "{", [{"inner":1}], {"b":{"c":[{}]}}] tail)");
  EXPECT_EQ(found.objects, (std::vector<std::string>{R"({"a":"}]\""})", R"({"b":{"c":[{}]}})"}));
  EXPECT_TRUE(found.was_closed);
}

TEST(JsonObjects, GivesTheWholeObjectsBeforeACut) {
  const std::string whole = R"([{"a":"x\"y"},{"b":[1,{"c":2}]}])";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Found found = objects_in(std::string_view(whole).substr(0, length));
    EXPECT_FALSE(found.was_closed);
    EXPECT_EQ(found.objects.size(), length >= whole.size() - 1 ? 2U : length >= 13U ? 1U : 0U) << length;
  }
}

TEST(ArrayMember, IsFoundOnlyInTheOutermostObject) {
  EXPECT_EQ(array_member(R"({"x":{"entries":[0]},"entries" : [1]})", "entries"), "[1]}");
  EXPECT_EQ(array_member(R"({"entries":"no array"})", "entries"), "");
  EXPECT_EQ(array_member(R"({"entries)", "entries"), "");
  EXPECT_EQ(array_member("[]", "entries"), "");
}

TEST(FastJson, AnswersWithNothingInsteadOfFailing) {
  FastJsonParser parser;
  EXPECT_FALSE(parser.parse("{\"a\":"));
  EXPECT_FALSE(parser.parse(""));
  const FastJson json = parser.parse(R"({"n":"12","d":3.0,"s":"x","b":true})").value();
  EXPECT_EQ(integer_member(json, "n"), 12);
  EXPECT_EQ(integer_member(json, "d"), 3);
  EXPECT_EQ(integer_member(json, "s"), std::nullopt);
  EXPECT_EQ(string_member(json, "s"), "x");
  EXPECT_EQ(bool_member(json, "b"), true);
  EXPECT_EQ(number_member(json, "missing"), std::nullopt);
}

}  // namespace
}  // namespace lockstep::base
