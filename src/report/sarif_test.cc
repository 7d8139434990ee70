#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "report/format.h"
#include "report/testdata/sample_verdicts.h"

namespace lockstep::report {
namespace {

using base::Json;
using testing::HasSubstr;
using testing::Not;

Json rendered(const model::Verdict& verdict) {
  return base::parse_json(render_sarif(verdict, "1.2.3"), "sarif").value();
}

void expect_text(const Json& message) {
  ASSERT_TRUE(message.contains("text"));
  EXPECT_TRUE(message["text"].is_string());
}

// The members the specification and code scanning services require.
void expect_required_members(const Json& sarif) {
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  EXPECT_TRUE(sarif.contains("$schema"));
  ASSERT_EQ(sarif.at("runs").size(), 1U);
  const Json& run = sarif["runs"][0];
  const Json& driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "Lockstep");
  for (const Json& rule : driver.at("rules")) {
    EXPECT_FALSE(rule.at("id").get<std::string>().empty());
    for (const char* member : {"shortDescription", "fullDescription", "help"}) expect_text(rule.at(member));
  }
  EXPECT_EQ(run.at("invocations")[0].at("executionSuccessful"), true);
  for (const Json& result : run.at("results")) {
    EXPECT_EQ(driver["rules"].at(result.at("ruleIndex").get<std::size_t>())["id"], result.at("ruleId"));
    expect_text(result.at("message"));
    for (const Json& location : result.at("locations")) {
      EXPECT_FALSE(
          location.at("physicalLocation").at("artifactLocation").at("uri").get<std::string>().empty());
      EXPECT_GE(location["physicalLocation"].at("region").at("startLine").get<std::int64_t>(), 1);
    }
  }
}

TEST(RenderSarif, TellsTheWholeStory) {
  expect_golden("missing_rank.sarif", render_sarif(missing_rank_verdict(), "1.2.3"));
}

TEST(RenderSarif, HasTheRequiredMembers) {
  expect_required_members(rendered(missing_rank_verdict()));
  expect_required_members(rendered(nothing_wrong_verdict()));
  expect_required_members(rendered(hostile_verdict()));
  expect_required_members(rendered({}));
}

TEST(RenderSarif, NamesARuleOncePerCode) {
  model::Verdict verdict = missing_rank_verdict();
  verdict.findings.push_back(verdict.findings[0]);
  verdict.findings.emplace_back();
  const Json sarif = rendered(verdict);
  EXPECT_EQ(sarif["runs"][0]["tool"]["driver"]["rules"].size(), 2U);
  EXPECT_EQ(sarif["runs"][0]["results"][2]["ruleId"], "RUN-OTHER");
  expect_required_members(sarif);
}

TEST(RenderSarif, LetsNoTerminalCodeOrLinkThrough) {
  const std::string sarif = render_sarif(hostile_verdict(), "1.2.3");
  EXPECT_THAT(sarif, Not(HasSubstr("\x1b")));
  EXPECT_THAT(sarif, Not(HasSubstr("\\u001b")));
  EXPECT_THAT(rendered(hostile_verdict())["runs"][0]["results"][0]["message"]["text"].get<std::string>(),
              Not(HasSubstr("](")));
}

TEST(FileUri, EncodesWhatAUriCannotHold) {
  EXPECT_EQ(file_uri("logs/rank 3.log"), "logs/rank%203.log");
  EXPECT_EQ(file_uri("/var/log/a#b"), "file:///var/log/a%23b");
  EXPECT_EQ(file_uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
  EXPECT_EQ(file_uri("\xFF"), "%FF");
}

}  // namespace
}  // namespace lockstep::report
