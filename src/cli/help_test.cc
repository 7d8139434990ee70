#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verb.h"
#include "cli/verbs_for_tests.h"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    widest = std::max(widest, line.size());
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return widest;
}

TEST(Help, FitsEightyColumns) {
  EXPECT_LE(widest_line(program_help(all_verbs())), 80U);
  for (const Verb* verb : all_verbs()) EXPECT_LE(widest_line(verb_help(*verb)), 80U) << verb->name;
  for (const Verb* verb : kVerbsForTests) EXPECT_LE(widest_line(verb_help(*verb)), 80U) << verb->name;
}

TEST(Help, ListsTheVerbsInTheirGroupsAndOrder) {
  EXPECT_THAT(program_help(kVerbsForTests),
              HasSubstr("\nStart here:\n"
                        "  run    record and watch a job\n"
                        "\nReference:\n"
                        "  dump   show a record file as text\n"
                        "  check  look at the configuration before the start\n"));
  const std::string all = program_help(all_verbs());
  for (const Verb* verb : all_verbs()) {
    const std::string_view next(
        &all[all.find("\n  " + std::string(verb->name) + " ") + 3 + verb->name.size()]);
    EXPECT_TRUE(next.starts_with(' ')) << verb->name;
  }
}

TEST(Help, AlignsTheFlagsAndSaysWhatTheTableKnows) {
  EXPECT_THAT(verb_help(kDumpForTests),
              HasSubstr("\nFlags:\n"
                        "  -o, --out=FILE       Write to FILE\n"
                        "      --format=FORMAT  How the [record] looks: text or html (default: text)\n"
                        "  -f, --field=NAME     Show the field's value; may be repeated\n"
                        "      --from-the-beginning-of=RECORDING\n"
                        "                       Begin where that recording begins, and go on until the\n"
                        "                       end of this one or until the reader has seen enough\n"
                        "      --json           Write JSON"));
}

TEST(Help, ShowsOnlyTheGlobalFlagsAVerbActsOn) {
  EXPECT_THAT(verb_help(kDumpForTests), HasSubstr("--color=WHEN"));
  EXPECT_THAT(verb_help(kRunForTests), Not(HasSubstr("--json")));
  EXPECT_THAT(verb_help(kRunForTests), Not(HasSubstr("--color")));
  EXPECT_THAT(verb_help(kRunForTests), HasSubstr("  -h, --help"));
}

TEST(Help, ExplainsTheCommandAndTheExamples) {
  EXPECT_THAT(verb_help(kRunForTests), HasSubstr("Arguments:\n  CMD...  The job's command line"));
  EXPECT_THAT(verb_help(kDumpForTests),
              HasSubstr("Examples:\n  lockstep dump rank_3.lockstep\n      What rank 3 wrote\n"));
}

TEST(VerbTable, IsWrittenAsHelpExpectsIt) {
  for (const Verb* verb : all_verbs()) {
    EXPECT_TRUE(verb->usage.starts_with(verb->name)) << verb->name;
    EXPECT_FALSE(verb->one_line.ends_with('.')) << verb->name;
    EXPECT_NE(verb->run, nullptr) << verb->name;
    EXPECT_EQ(verb->operands.name.empty(), verb->operands.max == 0) << verb->name;
    for (const Flag& flag : flags_of(*verb)) EXPECT_FALSE(flag.help.ends_with('.')) << flag.name;
  }
}

}  // namespace
}  // namespace lockstep::cli
