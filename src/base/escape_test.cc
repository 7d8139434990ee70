#include "base/escape.h"

#include <rapidcheck.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::base {

namespace {

TEST(EscapeForTerminal, KeepsPrintableText) {
  EXPECT_EQ(escape_for_terminal("rank 3: größer als 1 → 漢字"), "rank 3: größer als 1 → 漢字");
}

TEST(EscapeForTerminal, ShowsControlCharactersInsteadOfObeyingThem) {
  EXPECT_EQ(escape_for_terminal("\x1b[2Jgone\x07"), "\\x1b[2Jgone\\x07");
  EXPECT_EQ(escape_for_terminal("a\r\nb\tc"), "a\\r\\nb\\tc");
  EXPECT_EQ(escape_for_terminal(std::string_view("nul\0", 4)), "nul\\x00");
}

TEST(EscapeForTerminal, ShowsC1ControlsAndDirectionOverrides) {
  EXPECT_EQ(escape_for_terminal("\xC2\x9B"
                                "31m"),
            "\\x9b31m");
  EXPECT_EQ(escape_for_terminal("safe\xE2\x80\xAEtxt"), "safe\\u{202e}txt");
}

TEST(EscapeForTerminal, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(escape_for_terminal("\xFF\xC0\x80"), "\\xff\\xc0\\x80");
  EXPECT_EQ(escape_for_terminal("cut \xE2\x82"), "cut \\xe2\\x82");
}

TEST(EscapeForTerminal, NeverLetsAControlByteThrough) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& bytes) {
    for (const char c : escape_for_terminal(bytes)) {
      const auto byte = static_cast<unsigned char>(c);
      RC_ASSERT(byte >= 0x20 && byte != 0x7F);
    }
  }));
}

TEST(ToValidUtf8, ReplacesOnlyTheBadBytes) {
  EXPECT_EQ(to_valid_utf8("ok \xFF ok"), "ok \xEF\xBF\xBD ok");
  EXPECT_EQ(to_valid_utf8("größe\n"), "größe\n");
}

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
