#include "base/process/process_tree.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::process {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ProcessTreeTest : public testing::Test {
 protected:
  void add(pid_t pid, pid_t parent) const {
    folder_.write(
        fmt::format("proc/{}/stat", pid),
        fmt::format("{} (a) b) S {} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {}77 0\n", pid, parent, pid));
  }
  std::vector<pid_t> below(pid_t top, pid_t without = 0) const {
    std::vector<pid_t> pids;
    for (const ProcessIdentity& process : ProcessTree(folder_.roots()).below(top, without)) {
      EXPECT_EQ(process.start_ticks, static_cast<std::uint64_t>(process.pid) * 100 + 77);
      pids.push_back(process.pid);
    }
    return pids;
  }

  FolderForTests folder_;
};

TEST_F(ProcessTreeTest, ParentsComeBeforeTheirChildren) {
  add(4, 9);  // a number that was given again may be lower than its parent's
  add(9, 2);
  add(2, 1);
  add(3, 1);
  EXPECT_THAT(below(2), ElementsAre(9, 4));
  EXPECT_THAT(below(1), UnorderedElementsAre(2, 3, 9, 4));
  EXPECT_THAT(below(3), IsEmpty());
}

TEST_F(ProcessTreeTest, WhatIsLeftOutIsLeftOutWithWhatItStarted) {
  add(2, 1);
  add(3, 2);
  add(4, 1);
  EXPECT_THAT(below(1, 2), ElementsAre(4));
}

TEST_F(ProcessTreeTest, OnlyNumbersAreProcesses) {
  folder_.write("proc/meminfo", "");
  folder_.write("proc/17/stat", "damaged");
  add(5, 1);
  EXPECT_THAT(all_processes(folder_.roots()), ElementsAre(5, 17));
  EXPECT_THAT(below(1), ElementsAre(5));
}

TEST(SignalDescendants, ReachesWhatHasASessionOfItsOwn) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    for (;;) ::pause();
  }
  signal_descendants(SIGKILL);
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL);
}

}  // namespace
}  // namespace lockstep::process
