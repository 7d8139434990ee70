#include "report/html/served.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
