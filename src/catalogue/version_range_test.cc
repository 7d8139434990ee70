#include "catalogue/version_range.h"

#include <gtest/gtest.h>

namespace lockstep::catalogue {
namespace {

bool allows(std::string_view range, std::string_view version) {
  return VersionRange::parse(range)->contains(*version_from(version));
}

TEST(VersionRange, ComparesNumbersNotText) {
  EXPECT_TRUE(allows("<2.30", "2.9.1"));
  EXPECT_FALSE(allows("<2.30", "2.30.3"));
  EXPECT_TRUE(allows(">=1.8", "2.0.1+cu118"));
  EXPECT_TRUE(allows(">=2.1, <2.3", "2.2.2"));
  EXPECT_FALSE(allows(">=2.1, <2.3", "2.3"));
  EXPECT_TRUE(allows("==2.1", "2.1.0"));
  EXPECT_FALSE(allows(">2.1", "2.1.0"));
  EXPECT_TRUE(allows("<=2.1", "2.1.0"));
}

TEST(VersionRange, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "2.1", "=>2.1", ">=", ">=x", ">=1.8,,<2", "~=2"})
    EXPECT_FALSE(VersionRange::parse(text).has_value()) << text;
  EXPECT_FALSE(version_from("cu118").has_value());
}

}  // namespace
}  // namespace lockstep::catalogue
