#include "report/html/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/log_file_for_tests.h"

namespace lockstep::html {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

model::Verdict hostile_verdict() {
  model::Finding finding;
  finding.title = "</script><script>alert(1)</script>";
  finding.explanation = "<!-- <img src=x onerror=alert(1)>";
  model::Verdict verdict;
  verdict.findings.push_back(finding);
  return verdict;
}

std::size_t count_of(std::string_view what, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Html, TextOfTheJobCannotBecomeMarkup) {
  const auto page = html_of(contents_of("x", hostile_verdict()), "0");
  const auto plain = html_of(contents_of("x", model::Verdict{}), "0");
  ASSERT_TRUE(page.ok());
  for (const std::string_view tag : {"<script", "</script", "<!--", "<img"}) {
    EXPECT_EQ(count_of(tag, page.value()), count_of(tag, plain.value())) << tag;
  }
  EXPECT_THAT(page.value(), HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
}

TEST(Html, ThePageAllowsOnlyItsOwnScript) {
  const auto page = html_of(contents_of("x", model::Verdict{}), "0");
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page.value(), HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page.value(), Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(page.value(), Not(HasSubstr("<!--lockstep-data-->")));
}

TEST(Redact, HidesTheSameNameInVerdictAndLogs) {
  model::Verdict verdict;
  verdict.limits.push_back("gpu-node17 left no dump");
  Contents contents = contents_of("/home/alice/run", verdict);
  contents.logs.files.push_back({.file = "a.log", .rank = std::nullopt, .lines_in_all = 1, .lines = {}});
  contents.logs.files[0].lines.push_back(
      {.number = 1, .rank = std::nullopt, .time_ns = std::nullopt, .text = "connect to gpu-node17"});
  redact(contents, {"gpu-node17"});
  EXPECT_EQ(contents.verdict.limits[0], "host-1 left no dump");
  EXPECT_EQ(contents.logs.files[0].lines[0].text, "connect to host-1");
  EXPECT_THAT(contents.input, Not(HasSubstr("alice")));
}

TEST(ServedPage, AsksItsOwnServiceAndNobodyElse) {
  const auto page = served_page();
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page.value().policy, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page.value().policy, HasSubstr("; connect-src 'self'; frame-ancestors 'none'"));
  EXPECT_THAT(page.value().policy, Not(HasSubstr("unsafe")));
}

TEST(ServedPage, HoldsNoPolicyThatWouldForbidItsService) {
  const auto page = served_page();
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page.value().html, Not(HasSubstr("Content-Security-Policy")));
  EXPECT_THAT(page.value().html, HasSubstr("<script id=\"lockstep-service\""));
  EXPECT_THAT(page.value().html, Not(HasSubstr("<script id=\"lockstep-findings\"")));
}

}  // namespace

}  // namespace lockstep::html
