#include "top/terminal/key_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::top {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Keys, LettersAndControlCharacters) {
  KeyDecoder keys;
  EXPECT_THAT(keys.feed("jkq\r\x03"),
              ElementsAre(Key::kDown, Key::kUp, Key::kLeave, Key::kEnter, Key::kLeave));
  EXPECT_THAT(keys.feed("xyz\xc3\xa9"), IsEmpty());
}

TEST(Keys, TheSequencesOfDifferentTerminals) {
  KeyDecoder keys;
  EXPECT_THAT(
      keys.feed("\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[H\x1bOF\x1b[1;5A"),
      ElementsAre(Key::kUp, Key::kDown, Key::kPageUp, Key::kPageDown, Key::kHome, Key::kEnd, Key::kUp));
}

TEST(Keys, AnUnknownSequenceIsSwallowedWhole) {
  KeyDecoder keys;
  EXPECT_THAT(keys.feed("\x1b[200~\x1b[?62;c\x1b[24~"), IsEmpty());
  EXPECT_FALSE(keys.is_inside_sequence());
}

TEST(Keys, AnEscapeAloneIsOneOnlyAfterAWhile) {
  KeyDecoder keys;
  EXPECT_THAT(keys.feed("\x1b"), IsEmpty());
  EXPECT_TRUE(keys.is_inside_sequence());
  EXPECT_THAT(keys.no_more_came(), ElementsAre(Key::kEscape));
  EXPECT_FALSE(keys.is_inside_sequence());
}

TEST(Keys, AnEscapeFollowedByAKeyIsBoth) {
  KeyDecoder keys;
  EXPECT_THAT(keys.feed("\x1bq"), ElementsAre(Key::kEscape, Key::kLeave));
}

TEST(Keys, ASequenceThatNeverEndsIsGivenUp) {
  KeyDecoder keys;
  keys.feed("\x1b[" + std::string(1000, '1'));
  EXPECT_THAT(keys.feed("q"), ElementsAre(Key::kLeave));
}

RC_GTEST_PROP(Keys, ItDoesNotMatterInWhichPiecesBytesArrive, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "\x1b[A", "\x1b[6~", "\x1bOB", "j", "q", "\x1b[1;2B", "\r", "?", "\x1b[99;", "~", "\x1b"));
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  KeyDecoder at_once;
  KeyDecoder byte_by_byte;
  std::vector<Key> keys;
  for (const char byte : all) {
    for (const Key key : byte_by_byte.feed({&byte, 1})) keys.push_back(key);
  }
  RC_ASSERT(at_once.feed(all) == keys);
  RC_ASSERT(at_once.no_more_came() == byte_by_byte.no_more_came());
}

}  // namespace
}  // namespace lockstep::top
