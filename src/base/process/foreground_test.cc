#include "base/process/foreground.h"

#include <csignal>

#include <gtest/gtest.h>

#include "base/process/environment.h"

namespace lockstep::process {
namespace {

int status_of(const std::vector<std::string>& argv, const std::filesystem::path& folder = "") {
  const auto status = run_in_foreground(argv, own_environment(), {.folder = folder});
  return status.ok() ? status.value() : -1;
}

TEST(Foreground, GivesTheStatusOfTheProgram) {
  EXPECT_EQ(status_of({"true"}), 0);
  EXPECT_EQ(status_of({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(status_of({"sh", "-c", "kill -9 $$"}), 128 + SIGKILL);
}

TEST(Foreground, RunsInTheFolder) {
  EXPECT_EQ(status_of({"sh", "-c", "test $(pwd) = /usr"}, "/usr"), 0);
}

TEST(Foreground, FindsTheProgramInTheGivenPath) {
  EXPECT_TRUE(run_in_foreground({"true"}, {"PATH=/usr/bin:/bin"}, {}).ok());
  EXPECT_FALSE(run_in_foreground({"true"}, {"PATH=/nowhere"}, {}).ok());
}

TEST(TypedInAShell, IsQuotedWhereAShellWouldTakeItOtherwise) {
  EXPECT_EQ(typed_in_a_shell({"my run"}), "'my run'");
  EXPECT_EQ(typed_in_a_shell({"a", "", "$(b)", "~", "c'd"}), "a '' '$(b)' '~' 'c'\\''d'");
}

}  // namespace
}  // namespace lockstep::process
