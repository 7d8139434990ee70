#include "readers/pytorch/pickle_machine.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;

// A value in words, three levels deep.
std::string words_for(const PickleValue& value, const PickleStore& store, int depth = 0) {
  switch (value.kind) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return value.integer != 0 ? "True" : "False";
    case PickleKind::kInteger:
      return std::to_string(value.integer);
    case PickleKind::kFloat:
      return std::to_string(value.number);
    case PickleKind::kText:
      return "'" + std::string(value.view()) + "'";
    case PickleKind::kOther:
      return "?";
    default:
      break;
  }
  if (depth == 3) return "...";
  std::string words = value.kind == PickleKind::kDict ? "{" : value.kind == PickleKind::kList ? "[" : "(";
  for (const PickleValue& one : store.values(value.container))
    words += words_for(one, store, depth + 1) + " ";
  return words + ".";
}

struct Unpickled : PickleEntries {
  explicit Unpickled(const std::string& pickle) : bytes(pickle), machine(bytes, *this) {
    end = machine.run();
  }

  std::size_t take_known(std::string_view /*bytes*/) override { return 0; }
  void forget_known() override { ++forgotten; }
  void take(std::span<const PickleValue> entry, PickleStore& store, std::string_view taken) override {
    taken_bytes.emplace_back(taken);
    std::string words;
    for (const PickleValue& value : entry) words += words_for(value, store) + " ";
    entries.push_back(words);
  }

  std::string bytes;
  std::vector<std::string> entries;
  std::vector<std::string> taken_bytes;
  int forgotten = 0;
  PickleMachine machine;
  PickleEnd end = PickleEnd::kWhole;
};

// {'entries': [{'k': VALUE}]} with the instructions for VALUE; what an entry then holds.
std::string entry_with(const std::string& instructions) {
  const Unpickled run("\x80\x02}(X\x07\0\0\0entries]}(U\x01k"s + instructions + "uau."s);
  EXPECT_EQ(run.end, PickleEnd::kWhole);
  return run.entries.size() == 1 ? run.entries.front() : "no entry";
}

TEST(PickleMachine, KnowsEveryInteger) {
  EXPECT_EQ(entry_with("K\xff"s), "'k' 255 ");
  EXPECT_EQ(entry_with("M\x01\x02"s), "'k' 513 ");
  EXPECT_EQ(entry_with("J\xff\xff\xff\xff"s), "'k' -1 ");
  EXPECT_EQ(entry_with("\x8a\x00"s), "'k' 0 ");
  EXPECT_EQ(entry_with("\x8a\x01\xfe"s), "'k' -2 ");
  EXPECT_EQ(entry_with("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x40"s), "'k' 4611686018427387904 ");
  EXPECT_EQ(entry_with("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"s), "'k' ? ");
  EXPECT_EQ(entry_with("\x8b\x02\x00\x00\x00\x00\x01"s), "'k' 256 ");
  EXPECT_EQ(entry_with("I-12\n"s), "'k' -12 ");
  EXPECT_EQ(entry_with("L12L\n"s), "'k' 12 ");
}

TEST(PickleMachine, KnowsOtherScalars) {
  EXPECT_EQ(entry_with("N"s), "'k' None ");
  EXPECT_EQ(entry_with("\x88"s), "'k' True ");
  EXPECT_EQ(entry_with("\x89"s), "'k' False ");
  EXPECT_EQ(entry_with("I01\n"s), "'k' True ");
  EXPECT_EQ(entry_with("G\x3f\xf8\0\0\0\0\0\0"s), "'k' 1.500000 ");
  EXPECT_EQ(entry_with("F-2.25\n"s), "'k' -2.250000 ");
}

TEST(PickleMachine, KnowsEveryText) {
  EXPECT_EQ(entry_with("X\x02\0\0\0ab"s), "'k' 'ab' ");
  EXPECT_EQ(entry_with("\x8c\x02\x61\x62"s), "'k' 'ab' ");
  EXPECT_EQ(entry_with("\x8d\x02\0\0\0\0\0\0\0ab"s), "'k' 'ab' ");
  EXPECT_EQ(entry_with("U\x02\x61\x62"s), "'k' 'ab' ");
  EXPECT_EQ(entry_with("T\x02\0\0\0ab"s), "'k' 'ab' ");
  EXPECT_EQ(entry_with("S'a\\'b\\x41\\n'\n"s), "'k' 'a'bA\n' ");
  EXPECT_EQ(entry_with("Va\\u00e9\\q\n"s), "'k' 'aé\\q' ");
}

TEST(PickleMachine, PassesOverBytes) {
  EXPECT_EQ(entry_with("B\x02\0\0\0ab"s), "'k' ? ");
  EXPECT_EQ(entry_with("C\x02\x61\x62"s), "'k' ? ");
  EXPECT_EQ(entry_with("\x8e\x01\0\0\0\0\0\0\0a"s), "'k' ? ");
  EXPECT_EQ(entry_with("\x96\x01\0\0\0\0\0\0\0a"s), "'k' ? ");
}

TEST(PickleMachine, BuildsEveryContainer) {
  EXPECT_EQ(entry_with(")"s), "'k' (. ");
  EXPECT_EQ(entry_with("K\x01\x85"s), "'k' (1 . ");
  EXPECT_EQ(entry_with("K\x01K\x02\x86"s), "'k' (1 2 . ");
  EXPECT_EQ(entry_with("K\x01K\x02K\x03\x87"s), "'k' (1 2 3 . ");
  EXPECT_EQ(entry_with("(K\x01K\x02K\x03K\x04t"s), "'k' (1 2 3 4 . ");
  EXPECT_EQ(entry_with("](K\x01K\x02"
                       "e"s),
            "'k' [1 2 . ");
  EXPECT_EQ(entry_with("]K\x01"
                       "aK\x02"
                       "a"s),
            "'k' [1 2 . ");
  EXPECT_EQ(entry_with("](K\x01"
                       "e(K\x02"
                       "e"s),
            "'k' [1 2 . ");
  EXPECT_EQ(entry_with("(K\x01K\x02l"s), "'k' [1 2 . ");
  EXPECT_EQ(entry_with("}K\x01K\x02s"s), "'k' {1 2 . ");
  EXPECT_EQ(entry_with("(K\x01K\x02"
                       "d"s),
            "'k' {1 2 . ");
  EXPECT_EQ(entry_with("\x8f(K\x01\x90"s), "'k' [1 . ");
  EXPECT_EQ(entry_with("(K\x01\x91"s), "'k' (1 . ");
}

TEST(PickleMachine, KnowsMemoStackAndFrames) {
  EXPECT_EQ(entry_with("U\x01xq\x00"
                       "0h\x00"s),
            "'k' 'x' ");
  EXPECT_EQ(entry_with("U\x01xr\0\0\0\0"
                       "0j\0\0\0\0"s),
            "'k' 'x' ");
  EXPECT_EQ(entry_with("U\x01xp0\n0g0\n"s), "'k' 'x' ");
  EXPECT_EQ(entry_with("U\x01x\x94"
                       "0h\x00"s),
            "'k' 'x' ");
  EXPECT_EQ(entry_with("\x95\x01\0\0\0\0\0\0\0K\x07"s), "'k' 7 ");
  EXPECT_EQ(entry_with("K\x05(K\x06"
                       "1"s),
            "'k' 5 ");
  EXPECT_EQ(entry_with("K\x05U\x01kK\x06"s), "'k' 5 'k' 6 ");
}

TEST(PickleMachine, GivesEntriesOfAPlainListToo) {
  EXPECT_THAT(Unpickled("\x80\x02](}(U\x01kK\x01u}(U\x01kK\x02ue."s).entries,
              ElementsAre("'k' 1 ", "'k' 2 "));
}

TEST(PickleMachine, EqualListsAreBuiltOnceAndStillDiffer) {
  // The second list equals the first by its bytes, the third grows further.
  const Unpickled run(
      "\x80\x02](}(U\x01k](K\x01K\x02"
      "eu}(U\x01k](K\x01K\x02"
      "eu}(U\x01k](K\x01K\x02"
      "e(K\x03"
      "eu}(U\x01k](K\x01K\x02"
      "eue."s);
  EXPECT_THAT(run.entries, ElementsAre("'k' [1 2 . ", "'k' [1 2 . ", "'k' [1 2 3 . ", "'k' [1 2 . "));
}

TEST(PickleMachine, ListsOfTheMemoFollowTheMemo) {
  const Unpickled run(
      "\x80\x02](}(U\x01\x61q\x00](h\x00"
      "eu}(U\x01\x62q\x00](h\x00"
      "eue."s);
  EXPECT_THAT(run.entries, ElementsAre("'a' ['a' . ", "'b' ['b' . "));
}

TEST(PickleMachine, KeepsWhatEntriesShare) {
  // The first entry's dict is in the memo; the second refers to it.
  const Unpickled run("\x80\x02](}(U\x01k}q\x00(U\x01xK\x01uu}(U\x01kh\x00u}(U\x01kh\x00ue."s);
  EXPECT_THAT(run.entries, ElementsAre("'k' {'x' 1 . ", "'k' {'x' 1 . ", "'k' {'x' 1 . "));
}

TEST(PickleMachine, RefusesWhateverRunsCode) {
  for (const std::string& code :
       {"cos\nsystem\n"s, "\x93"s, "R"s, "b"s, "ios\nsystem\n"s, "o"s, "\x81"s, "\x92"s, "\x82\x01"s,
        "\x83\x01\x00"s, "\x84\x01\x00\x00\x00"s, "Pid\n"s, "Q"s, "\x97"s, "\x98"s}) {
    const Unpickled run("\x80\x02](}(U\x01kK\x01u}(U\x01k"s + code + "ue."s);
    EXPECT_EQ(run.end, PickleEnd::kRefused) << code;
  }
}

TEST(PickleMachine, DeclaredLengthsAreNotBelieved) {
  for (const std::string& text :
       {"X\xff\xff\xff\xff"s, "\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s, "B\xff\xff\xff\x7f"s,
        "\x8b\xff\xff\xff\xff"s, "\x8a\xff"s, "\x96\xff\xff\xff\xff\xff\xff\xff\x7f"s}) {
    EXPECT_EQ(Unpickled("\x80\x02]("s + text + "abc"s).end, PickleEnd::kCut);
  }
}

TEST(PickleMachine, NonsenseIsDamage) {
  for (const std::string& nonsense : {"u"s, "e"s, "s"s, "a"s, "h\x05"s, "q\x09"s, "0"s, "1"s, "2"s, "\x86"s,
                                      "K\x01K\x01"
                                      "a"s,
                                      "\xff"s, "}(K\x01u"s, "g-1\n"s, "gx\n"s, "Sx\n"s, "Up\x80"s}) {
    const PickleEnd end = Unpickled("\x80\x02"s + nonsense + "."s).end;
    EXPECT_TRUE(end == PickleEnd::kDamaged || end == PickleEnd::kCut) << nonsense;
  }
}

TEST(PickleMachine, EndsBombsEarly) {
  EXPECT_EQ(Unpickled("\x80\x02"s + std::string(100'000, '(')).end, PickleEnd::kTooLarge);
  std::string nested = "\x80\x02";
  for (int depth = 0; depth < 100'000; ++depth) nested += "](";
  EXPECT_EQ(Unpickled(nested).end, PickleEnd::kTooLarge);
  EXPECT_EQ(Unpickled("\x80\x02"s + std::string(6'000'000, 'N')).end, PickleEnd::kTooLarge);
  EXPECT_EQ(Unpickled("\x80\x02"s + std::string(4'000'000, ']')).end, PickleEnd::kTooLarge);
  // Each round doubles the list by itself: 60 rounds would be 2^60 values.
  std::string doubling = "\x80\x02}(U\x01x](K\x01\x65q\x00"s;
  for (int round = 0; round < 60; ++round)
    doubling +=
        "(h\x00h\x00"
        "e"s;
  EXPECT_EQ(Unpickled(doubling + "u."s).end, PickleEnd::kWhole);
}

TEST(PickleMachine, AListMayHoldItself) {
  const Unpickled run(
      "\x80\x02](}(U\x01k]q\x00(h\x00"
      "euue."s);
  EXPECT_NE(run.end, PickleEnd::kRefused);
}

TEST(PickleMachine, FindsTheOutermostMembersBeforeACut) {
  const std::string whole =
      "\x80\x02}(U\x01\x61K\x01U\x01\x62}(U\x01xK\x02uU\x07"
      "entries](}(U\x01kK\x03u"s;
  Unpickled run(whole);
  EXPECT_EQ(run.end, PickleEnd::kCut);
  std::string words;
  for (const PickleValue& value : run.machine.outermost())
    words += words_for(value, run.machine.store()) + " ";
  EXPECT_THAT(words, ::testing::StartsWith("'a' 1 'b' {'x' 2 . 'entries' "));
}

}  // namespace
}  // namespace lockstep::readers
