#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/docs.h"
#include "cli/shell_for_tests.h"
#include "cli/verbs_for_tests.h"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDate = "July 4, 2026";

TEST(ManPage, HasNothingMandocWarnsAbout) {
  if (!is_installed("mandoc")) GTEST_SKIP() << "mandoc is not installed: make deps";
  std::vector<std::string> pages = {program_man_page(kVerbsForTests, kDate)};
  for (const Verb* verb : kVerbsForTests) pages.push_back(verb_man_page(*verb, kDate));
  for (const std::string& page : pages) {
    const FileForTests file(page);
    EXPECT_EQ(output_of("mandoc -Tlint -Wwarning " + file.path()), "") << page;
  }
}

TEST(ManPage, ReadsAsHelpDoes) {
  if (!is_installed("mandoc")) GTEST_SKIP() << "mandoc is not installed: make deps";
  const FileForTests file(verb_man_page(kDumpForTests, kDate));
  const std::string text = output_of("mandoc -Tascii " + file.path() + " | col -b");
  EXPECT_THAT(text, HasSubstr("lockstep-dump - show a record file as text"));
  EXPECT_THAT(text, HasSubstr("lockstep dump FILE... [flags]"));
  EXPECT_THAT(text, HasSubstr("-o FILE, --out=FILE"));
  EXPECT_THAT(text, HasSubstr(".A paragraph that begins with a dot.  It has two sentences and a"));
  EXPECT_THAT(text, HasSubstr("lockstep dump --json rank_3.lockstep | jq ."));
  EXPECT_THAT(text, HasSubstr("NO_COLOR"));
}

TEST(ManPage, NamesTheEnvironmentOnlyWhereItActs) {
  EXPECT_THAT(verb_man_page(kRunForTests, kDate), Not(HasSubstr("ENVIRONMENT")));
}

TEST(ManPage, OfTheProgramRefersToEveryVerb) {
  EXPECT_THAT(program_man_page(kVerbsForTests, kDate),
              HasSubstr(".Xr lockstep-check 1 ,\n.Xr lockstep-dump 1 ,\n.Xr lockstep-run 1\n"));
}

}  // namespace
}  // namespace lockstep::cli
