#include "base/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> faults(std::string_view schema, std::string_view value) {
  const auto parsed = JsonSchema::parse(schema, "schema");
  EXPECT_TRUE(parsed.ok()) << schema;
  std::vector<std::string> texts;
  for (const JsonSchema::Fault& fault : parsed.value().faults_in(parse_json(value, "value").value()))
    texts.push_back(fault.path + ": " + fault.why);
  return texts;
}

TEST(JsonSchema, Types) {
  EXPECT_THAT(faults(R"({"type": "string"})", R"("a")"), IsEmpty());
  EXPECT_THAT(faults(R"({"type": "string"})", "1"), ElementsAre(": must be a text"));
  EXPECT_THAT(faults(R"({"type": "integer"})", "1.0"), IsEmpty());
  EXPECT_THAT(faults(R"({"type": "integer"})", "1.5"), ElementsAre(": must be a whole number"));
  EXPECT_THAT(faults(R"({"type": ["boolean", "null"]})", "[]"),
              ElementsAre(": must be true or false or nothing"));
}

TEST(JsonSchema, TextsAndNumbers) {
  EXPECT_THAT(faults(R"({"enum": ["a", "b"]})", R"("c")"), ElementsAre(": 'c' is not one of: a, b"));
  EXPECT_THAT(faults(R"({"pattern": "^[a-z]+$"})", R"("Ab")"), ElementsAre(": 'Ab' does not match ^[a-z]+$"));
  EXPECT_THAT(faults(R"({"pattern": "^[a-z]+$"})", "7"), IsEmpty()) << "says nothing about other types";
  EXPECT_THAT(faults(R"({"minLength": 1})", R"("")"), ElementsAre(": must not be empty"));
  EXPECT_THAT(faults(R"({"minLength": 2})", "\"\xC3\xA4\""), ElementsAre(HasSubstr("is too short")));
  EXPECT_THAT(faults(R"({"minimum": 1})", "0"), ElementsAre(": must be at least 1"));
}

TEST(JsonSchema, ListsAndMappings) {
  EXPECT_THAT(faults(R"({"items": {"type": "string"}, "minItems": 1})", "[]"),
              ElementsAre(": must have 1 or more items"));
  EXPECT_THAT(faults(R"({"items": {"type": "string"}})", R"(["a", 2])"), ElementsAre("/1: must be a text"));
  constexpr std::string_view kStrict =
      R"({"required": ["a"], "properties": {"a": {"type": "string"}}, "additionalProperties": false})";
  EXPECT_THAT(faults(kStrict, R"({"b": 1})"), ElementsAre(": 'a' is missing", "/b: is not a known field"));
  EXPECT_THAT(faults(R"({"additionalProperties": {"type": "string"}})", R"({"b": 1})"),
              ElementsAre("/b: must be a text"));
}

TEST(JsonSchema, ReferencesAndChoices) {
  constexpr std::string_view kTexts =
      R"({"anyOf": [{"$ref": "#/$defs/t"}, {"type": "array", "items": {"$ref": "#/$defs/t"}}],
    "$defs": {"t": {"type": "string", "minLength": 1}}})";
  EXPECT_THAT(faults(kTexts, R"("a")"), IsEmpty());
  EXPECT_THAT(faults(kTexts, R"(["a", ""])"), ElementsAre("/1: must not be empty"));
  EXPECT_THAT(faults(kTexts, "{}"), ElementsAre(": must be a list, or must be a text"));
  constexpr std::string_view kOne = R"({"oneOf": [{"type": "integer"}, {"minimum": 2}]})";
  EXPECT_THAT(faults(kOne, "1"), IsEmpty());
  EXPECT_THAT(faults(kOne, "3"), ElementsAre(": fits more than one of the forms it may have"));
}

TEST(JsonSchema, WhatItDoesNotKnowIsRefused) {
  for (const char* schema :
       {R"({"maxItems": 1})", R"({"properties": {"a": {"const": 1}}})", R"({"type": "text"})",
        R"({"$ref": "other.json"})", R"({"$ref": "#/$defs/a"})", R"x({"pattern": "(?=a)"})x",
        R"({"pattern": 1})", R"({"$defs": {"a": {"format": "uri"}}})", "[]", "{"}) {
    EXPECT_FALSE(JsonSchema::parse(schema, "schema").ok()) << schema;
  }
}

TEST(JsonSchema, FaultsOfAYamlFileNameLineAndField) {
  const auto schema = JsonSchema::parse(
      R"({"properties": {"a": {"items": {"properties": {"b": {"type": "string"}}}}}})", "s");
  EXPECT_THAT(yaml_faults(schema.value(), "# x\na:\n  - b: c\n  - b: 7\n", "f.yaml"),
              ElementsAre("f.yaml:4: a[1].b: must be a text"));
  EXPECT_THAT(yaml_faults(schema.value(), "a: [", "f.yaml"), ElementsAre(HasSubstr("f.yaml:")));
  EXPECT_THAT(yaml_faults(schema.value(), "a:\n  - b: '7'\n", "f.yaml"), IsEmpty());
}

}  // namespace
}  // namespace lockstep::base
