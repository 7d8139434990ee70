#include "base/yaml.h"

#include <string>

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

TEST(Yaml, ScalarsAreTextAndOrderIsKept) {
  const auto json = parse_yaml("b: 1\na: [x, 'y: z', true]\nc:\n  d: |\n    two\n    lines\n", "t.yaml");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(to_text(json.value(), JsonLayout::kOneLine),
            R"({"b":"1","a":["x","y: z","true"],"c":{"d":"two\nlines\n"}})");
}

TEST(Yaml, FaultNamesFileAndLine) {
  const auto json = parse_yaml("a: 1\nb: [1, 2\nc: 3\n", "mine.yaml");
  ASSERT_FALSE(json.ok());
  EXPECT_TRUE(json.error().where.starts_with("mine.yaml:")) << json.error().where;
}

TEST(Yaml, HasAsManyKeysAsItLikes) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const auto json = parse_yaml(text, "t.yaml");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json.value().size(), 50'000U);
}

TEST(Yaml, AKeyOfMegabytesIsNotNotedForEachThatLiesBelowIt) {
  std::string text = "? " + std::string(101000, 'k') + "\n:\n";
  for (int i = 0; i < 20'000; ++i) text += "  - 1\n";
  const auto documents = parse_yaml_documents(text, "t.yaml");
  ASSERT_TRUE(documents.ok()) << documents.error().why;
  EXPECT_LT(documents.value().front().lines.size(), 1000U);
}

TEST(Yaml, TheSameKeyTwiceIsRefused) {
  const auto json = parse_yaml("a: 1\nb: 2\na: 3\n", "t.yaml");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().where, "t.yaml:3");
}

TEST(Yaml, AliasesCannotGrowADocument) {
  std::string text = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_FALSE(parse_yaml(text, "t.yaml").ok());
}

TEST(Yaml, EveryDocumentIsReadWithItsLines) {
  const auto documents = parse_yaml_documents("---\n---\na: &x [1]\nb:\n  <<: {c: 2}\n  d: *x\n", "t.yaml");
  ASSERT_TRUE(documents.ok());
  ASSERT_EQ(documents.value().size(), 2U);
  EXPECT_TRUE(documents.value()[0].value.is_null());
  EXPECT_EQ(to_text(documents.value()[1].value, JsonLayout::kOneLine),
            R"({"a":["1"],"b":{"c":"2","d":["1"]}})");
  EXPECT_EQ(documents.value()[1].lines.at("/b/d"), 6);
}

TEST(Yaml, TextThatTheParserNeverLeavesIsRefused) {
  EXPECT_FALSE(parse_yaml_documents(",export A=1\nb\n", "t.yaml").ok());
}

TEST(Yaml, DeepNestingIsRefused) {
  EXPECT_FALSE(parse_yaml(std::string(5000, '['), "t.yaml").ok());
}

TEST(TypedYaml, PlainWordsHaveTheirTypesAndQuotedOnesAreTexts) {
  const auto read =
      parse_typed_yaml("a: 7\nb: \"7\"\nc: true\nd: ~\ne: 1.5\nf: 1.5.2\ng: [no, -3]\nh: 007x\n", "test");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value(), Json::parse(R"({"a": 7, "b": "7", "c": true, "d": null, "e": 1.5, "f": "1.5.2",
                                          "g": ["no", -3], "h": "007x"})"));
}

}  // namespace
}  // namespace lockstep::base
