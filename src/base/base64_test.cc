#include "base/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::base {
namespace {

TEST(Base64, PadsWhatIsLeft) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("a"), "YQ==");
  EXPECT_EQ(to_base64("ab"), "YWI=");
  EXPECT_EQ(to_base64("abc"), "YWJj");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Y", "YQ=", "Y===", "YQ=a", "Y\nQ=", "-_==", "====", "YWJj="})
    EXPECT_FALSE(from_base64(text)) << text;
}

RC_GTEST_PROP(Base64, GivesBackEveryByte, (const std::string& bytes)) {
  RC_ASSERT(from_base64(to_base64(bytes)) == bytes);
}

}  // namespace
}  // namespace lockstep::base
