#include "base/fast_json.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

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

struct Members {
  std::vector<std::string> texts;
  bool was_closed = false;
};

Members members_in(std::string_view object) {
  Members found;
  JsonMembers members(object);
  while (const auto member = members.next()) {
    found.texts.push_back(std::string(member->key) + (member->is_whole ? "=" : "~") +
                          std::string(member->value));
  }
  found.was_closed = members.was_closed();
  return found;
}

TEST(JsonMembers, GivesKeysAndValuesAsText) {
  const Members found = members_in(R"( { "a" : [1,{"b":"}"}] ,"c":"x,\"}", "d":-1.5e3,"e":{} } tail)");
  EXPECT_EQ(found.texts,
            (std::vector<std::string>{R"(a=[1,{"b":"}"}])", R"(c="x,\"}")", "d=-1.5e3", "e={}"}));
  EXPECT_TRUE(found.was_closed);
}

TEST(JsonMembers, GivesTheRestOfAValueThatIsCut) {
  const Members found = members_in(R"({"a":1,"b":[{"c":2},{"d")");
  EXPECT_EQ(found.texts, (std::vector<std::string>{"a=1", R"(b~[{"c":2},{"d")"}));
  EXPECT_FALSE(found.was_closed);
}

TEST(JsonMembers, EndsAtWhatIsNoObject) {
  for (const char* text : {"", "[1]", "{", "{]", R"({"a")", R"({"a" 1})", R"({"a)", "{,,}", "{a:1}"}) {
    EXPECT_TRUE(members_in(text).texts.empty()) << text;
  }
}

TEST(JsonObjects, ReadsAStreamOfObjectsWithTalkBetweenThem) {
  JsonObjects objects = JsonObjects::stream("OK\n{\"a\":1}\n] [\n{\"b\":{}} {\"c\": [");
  EXPECT_EQ(objects.next(), R"({"a":1})");
  EXPECT_EQ(objects.next(), R"({"b":{}})");
  EXPECT_EQ(objects.next(), std::nullopt);
  EXPECT_EQ(objects.cut_object(), R"({"c": [)");
}

TEST(JsonObjects, NamesTheObjectThatWasCut) {
  JsonObjects objects(R"([{"a":1}, {"b":)");
  while (objects.next()) {
  }
  EXPECT_EQ(objects.cut_object(), R"({"b":)");
}

}  // namespace
}  // namespace lockstep::base
