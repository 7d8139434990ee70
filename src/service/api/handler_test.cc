#include "service/api/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

std::string members(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
  return text + "}";
}

std::string why_refused(const std::string& body) {
  const auto json = parse_request(body);
  return json.ok() ? "" : json.error().why;
}

TEST(ParseRequest, TakesAsMuchAsARequestMayHold) {
  EXPECT_EQ(why_refused(members(4096)), "");
  EXPECT_EQ(why_refused(R"({"files": {"a": "b:c,d\"e:f"}})"), "");
  EXPECT_EQ(parse_request(R"({"a\"b": ["c", "d"]})").value().at("a\"b").size(), 2U);
}

// Before it is parsed: what a million members cost there is nobody's to ask for.
TEST(ParseRequest, RefusesWhatCostsMore) {
  EXPECT_EQ(why_refused(members(4097)), "more than 4096 members");
  EXPECT_EQ(why_refused("[" + members(3000) + "," + members(3000) + "]"), "more than 4096 members");
  EXPECT_EQ(why_refused("[1" + std::string(40'000, ',') + "1]"), "more than 16384 items");
  EXPECT_EQ(why_refused("{\"" + std::string(5000, 'k') + "\": 1}"), "a name of more than 4096 bytes");
}

TEST(ParseRequest, CountsNothingInsideTexts) {
  EXPECT_EQ(why_refused("[\"" + std::string(20'000, ',') + std::string(20'000, ':') + "\"]"), "");
  EXPECT_EQ(why_refused("[\"\\\"" + std::string(20'000, ',') + "\"]"), "") << "an escaped quote ends no text";
}

TEST(ParseRequest, WhatIsCutShortIsRefusedByTheParser) {
  for (const char* text : {"{\"a", "{\"a\\", "\"", "{\"a\":", ":", ",", ""})
    EXPECT_NE(why_refused(text), "") << text;
}

TEST(OwnerNames, AreLookedUpOnceForEachUser) {
  std::vector<uid_t> asked;
  OwnerNames names([&](uid_t user) {
    asked.push_back(user);
    return user == 7 ? "ada" : "";
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(names.name_of("uid:7"), "ada");
    EXPECT_EQ(names.name_of("uid:8"), "user 8");
    EXPECT_EQ(names.name_of("uid:x"), "user x");
    EXPECT_EQ(names.name_of("token:ci"), "token:ci");
  }
  EXPECT_THAT(asked, ::testing::ElementsAre(7, 8));
}

}  // namespace
}  // namespace lockstep::service
