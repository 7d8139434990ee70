// The schema and the page for other implementers say what the code does.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "report/findings_json.h"

namespace lockstep::report {
namespace {

using base::Json;
using testing::HasSubstr;

std::string read(const std::string& path) {
  auto content = base::read_file(path, 1 << 20);
  EXPECT_TRUE(content.ok()) << path;
  return content.ok() ? content.value() : "";
}

Json definitions() {
  return base::parse_json(read(LOCKSTEP_FINDINGS_SCHEMA), "schema").value()["$defs"];
}

std::string first_json_block(const std::string& page) {
  const std::string opening = "```json\n";
  const std::size_t start = page.find(opening) + opening.size();
  return page.substr(start, page.find("\n```", start) - start);
}

TEST(FindingsSchema, KnowsExactlyTheLeaves) {
  Json ids = Json::array();
  for (const model::LeafEntry& entry : model::all_leaves()) ids.push_back(entry.id);
  EXPECT_EQ(definitions()["leaf"]["enum"], ids);
}

TEST(FindingsSchema, KnowsExactlyTheFixPatterns) {
  Json ids = Json::array();
  for (const model::FixPatternEntry& entry : model::all_fix_patterns()) ids.push_back(entry.id);
  EXPECT_EQ(definitions()["pattern"]["enum"], ids);
}

TEST(FindingsSchema, KnowsExactlyTheOutcomes) {
  Json ids = Json::array();
  for (const std::string_view id : outcome_ids()) ids.push_back(id);
  EXPECT_EQ(definitions()["decision"]["properties"]["outcome"]["enum"], ids);
}

TEST(FindingsPage, PrintsAnExampleThatDecodes) {
  const auto decoded = decode_findings(first_json_block(read(LOCKSTEP_FINDINGS_PAGE)), "findings-json.md");
  ASSERT_TRUE(decoded.ok()) << decoded.error().why;
  EXPECT_EQ(decoded.value().findings.size(), 1U);
  EXPECT_EQ(decoded.value().findings[0].evidence.size(), 3U);
}

TEST(FindingsPage, NamesEveryLeafAndFixPattern) {
  const std::string page = read(LOCKSTEP_FINDINGS_PAGE);
  for (const model::LeafEntry& entry : model::all_leaves()) {
    EXPECT_THAT(page, HasSubstr(std::string(entry.id)));
  }
  for (const auto& entry : model::all_fix_patterns()) EXPECT_THAT(page, HasSubstr(std::string(entry.id)));
  for (const std::string_view id : outcome_ids()) EXPECT_THAT(page, HasSubstr(std::string(id)));
}

}  // namespace
}  // namespace lockstep::report
