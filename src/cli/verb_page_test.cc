#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/docs.h"
#include "cli/verbs_for_tests.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(VerbPage, AgreesWhenItHasEverything) {
  EXPECT_THAT(disagreements(kRunForTests,
                            "# lockstep run\n\n    lockstep run [flags] CMD...\n\n"
                            "- `-p`, `--payload`: too\n- `-h`, `--help`: help\n\nSee `--json` of dump.\n"),
              IsEmpty());
}

TEST(VerbPage, SaysWhatIsMissingAndWhatIsStale) {
  EXPECT_THAT(disagreements(kRunForTests, "# run\n\n- `--help`\n- `--pay=N`: gone\n"),
              ElementsAre("the title is not '# lockstep run'", "no usage line 'run [flags] CMD...'",
                          "no entry for --payload", "an entry for --pay, which run does not have"));
}

}  // namespace
}  // namespace lockstep::cli
