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

TEST(ToText, KeepsTheOrderAndReplacesBadBytes) {
  Json json;
  json["z"] = 1;
  json["a"] = "bad \xFF byte";
  EXPECT_EQ(to_text(json, JsonLayout::kOneLine), "{\"z\":1,\"a\":\"bad \xEF\xBF\xBD byte\"}");
}

}  // namespace
}  // namespace lockstep::base
