#include "shell/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Told {
  std::vector<std::vector<std::string>> commands;
  std::vector<WordsByName> environments;
  std::vector<std::vector<int>> alongside;
  std::vector<std::string> notes;
};

// With marks as people can read them: "<$X>" is an open part, "{$X>" any number of words.
std::string readable(std::string text) {
  for (char& letter : text) {
    if (letter == kOpenPart) letter = '<';
    if (letter == kOpenWords) letter = '{';
    if (letter == kOpenEnd) letter = '>';
  }
  return text;
}

Told follow(const std::string& text, Outer::Kind others = Outer::Kind::kOpen) {
  Told told;
  const World world{.variable =
                        [&](const std::string&) {
                          return Outer{others, {}};
                        },
                    .file = [](const std::string& path) -> std::optional<std::string> {
                      if (path == "env.sh") return "export FROM_FILE=1\n";
                      return std::nullopt;
                    },
                    .start =
                        [&](const Command& command) {
                          std::vector<std::string> words;
                          for (const Word& word : command.words) words.push_back(readable(word.text));
                          told.commands.push_back(words);
                          told.environments.push_back(command.environment);
                          told.alongside.push_back(command.alongside);
                          return std::vector<int>{static_cast<int>(told.commands.size()) - 1};
                        },
                    .note = [&](const Note& note) { told.notes.push_back(note.what); }};
  interpret({.text = text, .place = {"a.sh", 1}, .name = "a.sh"}, world);
  return told;
}

TEST(Interpreter, WordsAreSplitQuotedAndFilledIn) {
  const Told told =
      follow("A='x y'\nB=(1 '2 3')\nrun $A \"$A\" ${B[@]} \"${B[@]}\" ${#B[@]} $((2 * 3)) a\\ b $'t\\t'\n");
  EXPECT_THAT(told.commands, ElementsAre(ElementsAre("run", "x", "y", "x y", "1", "2", "3", "1", "2 3", "2",
                                                     "6", "a b", "t\t")));
}

TEST(Interpreter, WhatTheCallerCouldSetIsOpenAndNeverItsDefault) {
  const Told told = follow("N=${N:-\"8\"}\nrun --n=$N $ARGS \"$HOST:1\" $(hostname)\n");
  EXPECT_THAT(told.commands.back(),
              ElementsAre("run", "--n={${N:-\"8\"}>", "{$ARGS>", "<$HOST>:1", "{$(hostname)>"));
}

TEST(Interpreter, WhereTheCallerIsKnownTheDefaultIsTheValue) {
  EXPECT_THAT(follow("run ${N:-\"8\"}\n", Outer::Kind::kUnset).commands,
              ElementsAre(ElementsAre("run", "8")));
}

TEST(Interpreter, BranchesThatDifferLeaveAValueOpen) {
  const Told told = follow("if [ -n \"$DEBUG\" ]; then N=1; M=2; else N=8; M=2; fi\nrun $N $M\n");
  EXPECT_THAT(told.commands, ElementsAre(ElementsAre("run", "{$N>", "2")));
}

TEST(Interpreter, ADecidedBranchIsTheOnlyOne) {
  const Told told =
      follow("N=2\nif [ $N -gt 1 ]; then run many; else run one; fi\nif (( N == 3 )); then run three; fi\n");
  EXPECT_THAT(told.commands, ElementsAre(ElementsAre("run", "many")));
}

TEST(Interpreter, AVariableBeforeACommandEndsWithIt) {
  const Told told = follow("CUDA_VISIBLE_DEVICES=0 run one\nrun two\n");
  EXPECT_THAT(told.environments[0], SizeIs(1));
  EXPECT_THAT(told.environments[1], IsEmpty());
}

TEST(Interpreter, OnlyWhatRunsInTheBackgroundRunsAlongside) {
  const Told told = follow("run 0 &\nrun 1\nwait\nrun 2\n");
  EXPECT_THAT(told.alongside, ElementsAre(IsEmpty(), ElementsAre(0), IsEmpty()));
}

TEST(Interpreter, FunctionsLoopsEvalAndFiles) {
  const Told told = follow(
      "f() { local X=$1; run $X $FROM_FILE; }\n. ./none.sh\nsource env.sh\nfor n in a b; do f $n; done\n"
      "CMD=\"run --x\"\neval \"$CMD 1\"\n");
  EXPECT_THAT(told.commands, ElementsAre(ElementsAre("run", "a", "1"), ElementsAre("run", "b", "1"),
                                         ElementsAre("run", "--x", "1")));
  EXPECT_THAT(told.notes, ElementsAre(HasSubstr("./none.sh")));
}

TEST(Interpreter, ALoopOfUnknownLengthChangesNothingForCertain) {
  const Told told = follow("N=1\nwhile read LINE; do N=$LINE; run $N; done\nrun $N\n");
  EXPECT_THAT(told.commands, ElementsAre(ElementsAre("run", "{$LINE>"), ElementsAre("run", "{$N>")));
}

TEST(Interpreter, HostileScriptsEnd) {
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "if a; then ";
  follow(deep);
  follow("f() { f; f; }\nf\n");
  follow(
      "for a in 1 2 3 4 5 6 7 8; do for b in 1 2 3 4 5 6 7 8; do for c in 1 2 3 4 5 6 7 8; do for d in 1 2 3 "
      "4 5 6 7 8; "
      "do for e in 1 2 3 4 5 6 7 8; do run; done; done; done; done; done\n");
  std::string doubles = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 60; ++i) doubles += "A=$A$A\n";
  const Told told = follow(doubles + "run \"$A\"\n");
  EXPECT_LT(told.commands.back().back().size(), std::size_t{1} << 18);
  follow("x='eval \"$x\"'; eval \"$x\"\n");
}

TEST(WordsOfLine, QuotesAreTakenOff) {
  EXPECT_THAT(words_of_line(" --a 'b c' \"d\" # e"), ElementsAre("--a", "b c", "d"));
}

}  // namespace
}  // namespace lockstep::shell
