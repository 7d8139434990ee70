#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/docs.h"
#include "cli/shell_for_tests.h"
#include "cli/verbs_for_tests.h"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// What bash offers for `words`, the last of which is under the cursor.
std::string offered_in_bash(const std::string& words) {
  const FileForTests script(bash_completion(kVerbsForTests) + "COMP_WORDS=(" + words +
                            ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_lockstep\n" +
                            "printf '%s' \"${COMPREPLY[*]}\"\n");
  return output_of("bash " + script.path());
}

TEST(BashCompletion, OffersVerbsThenTheirFlags) {
  EXPECT_EQ(offered_in_bash("lockstep du"), "dump");
  EXPECT_EQ(offered_in_bash("lockstep dump --f"), "--format --field --from-the-beginning-of");
  EXPECT_EQ(offered_in_bash("lockstep run --"), "--payload --help");
  EXPECT_EQ(offered_in_bash("lockstep unknown --"), "");
}

TEST(BashCompletion, OffersTheChoicesOfAValue) {
  EXPECT_EQ(offered_in_bash("lockstep dump --color ''"), "auto always never");
  EXPECT_EQ(offered_in_bash("lockstep dump --color ="), "auto always never");
  EXPECT_EQ(offered_in_bash("lockstep dump --color = al"), "always");
  EXPECT_EQ(offered_in_bash("lockstep dump --field ''"), "");
}

TEST(BashCompletion, OffersFilesFoldersAndVerbsWhereTheTableSaysSo) {
  EXPECT_EQ(offered_in_bash("lockstep dump /dev/nul"), "/dev/null");
  EXPECT_EQ(offered_in_bash("lockstep dump -o /dev/nul"), "/dev/null");
  EXPECT_EQ(offered_in_bash("lockstep dump --from-the-beginning-of /dev/nul"), "");
  EXPECT_EQ(offered_in_bash("lockstep check ru"), "run");
}

TEST(BashCompletion, OffersProgramsAfterTheSeparator) {
  EXPECT_THAT(offered_in_bash("lockstep run -- /dev/nul"), HasSubstr("/dev/null"));
  EXPECT_THAT(offered_in_bash("lockstep run -- bas"), HasSubstr("bash"));
  EXPECT_THAT(offered_in_bash("lockstep run bas"), HasSubstr("bash"));
  EXPECT_THAT(offered_in_bash("lockstep run -p nice bas"), HasSubstr("bash"));
}

TEST(ZshCompletion, HasAnEntryForEveryFlag) {
  const std::string script = zsh_completion(kVerbsForTests);
  EXPECT_TRUE(script.starts_with("#compdef lockstep\n"));
  EXPECT_THAT(script, HasSubstr("'dump:show a record file as text'"));
  EXPECT_THAT(script, HasSubstr("'(-o --out)'{-o+,--out=}'[Write to FILE]:FILE:_files'"));
  EXPECT_THAT(script, HasSubstr("'--format=[How the \\[record\\] looks]:FORMAT:(text html)'"));
  EXPECT_THAT(script, HasSubstr("'*'{-f+,--field=}'[Show the field'\\''s value]:NAME:( )'"));
  EXPECT_THAT(script, HasSubstr("'*:FILE:_files'"));
}

TEST(ZshCompletion, IsAcceptedByZsh) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  const FileForTests file(zsh_completion(kVerbsForTests));
  EXPECT_EQ(output_of("zsh -n " + file.path()), "");
}

TEST(FishCompletion, HasALineForEveryFlag) {
  const std::string script = fish_completion(kVerbsForTests);
  EXPECT_THAT(script, HasSubstr("-n __fish_use_subcommand -a dump -d 'show a record file as text'\n"));
  EXPECT_THAT(script,
              HasSubstr("-n '__fish_seen_subcommand_from dump' -s o -l out -r -F -d 'Write to FILE'\n"));
  EXPECT_THAT(script, HasSubstr("-l format -r -a 'text html'"));
  EXPECT_THAT(script, HasSubstr("-d 'Show the field\\'s value'"));
  EXPECT_THAT(script, Not(HasSubstr("from run' -l json")));
}

TEST(FishCompletion, IsAcceptedByFish) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  const FileForTests file(fish_completion(kVerbsForTests));
  EXPECT_EQ(output_of("fish -n " + file.path()), "");
}

}  // namespace
}  // namespace lockstep::cli
