#include "base/json.h"

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

TEST(ParseJson, NamesThePlaceOfTheFault) {
  const auto parsed = parse_json("{\n  \"a\": 1,\n  oops\n}", "findings.json");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().where, "findings.json");
  EXPECT_EQ(parsed.error().why, "line 3, column 3");
}

TEST(ParseJson, SaysSoWhenTheTextIsEmpty) {
  EXPECT_FALSE(parse_json("", "-").ok());
}

std::string nested(int levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(ParseJson, RefusesTextThatIsNestedTooDeeply) {
  EXPECT_TRUE(parse_json(nested(kDeepestJson), "-").ok());
  const auto parsed = parse_json(nested(kDeepestJson + 1), "deep.json");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().why, "more than 64 levels at line 1, column 65");
  EXPECT_FALSE(parse_json(nested(1'000'000), "-").ok());
  EXPECT_FALSE(parse_json(std::string(1'000'000, '['), "-").ok());
}

TEST(ParseJson, DoesNotCountBracketsInsideStrings) {
  EXPECT_TRUE(parse_json("\"\\\"" + std::string(100, '[') + "\"", "-").ok());
  EXPECT_FALSE(parse_json("\"ends in a backslash\\", "-").ok());
}

TEST(ParseJson, RefusesANumberThatNoDoubleHolds) {
  EXPECT_FALSE(parse_json("1e999", "-").ok());
}

TEST(ToText, KeepsTheOrderAndReplacesBadBytes) {
  Json json;
  json["z"] = 1;
  json["a"] = "bad \xFF byte";
  EXPECT_EQ(to_text(json, JsonLayout::kOneLine), "{\"z\":1,\"a\":\"bad \xEF\xBF\xBD byte\"}");
}

}  // namespace
}  // namespace lockstep::base
