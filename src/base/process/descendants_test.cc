#include "base/process/descendants.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockstep::process {
namespace {

pid_t child_in_a_session_of_its_own(bool with_child = false) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setsid();
  if (with_child) (void)!::fork();
  for (;;) ::pause();
}

int end_of(pid_t child) {
  int state = 0;
  return ::waitpid(child, &state, 0) == child && WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

// Orphans stay below this process, as while it runs a job.
class SignalDescendants : public testing::Test {
 protected:
  SignalDescendants() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~SignalDescendants() override {
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
};

TEST_F(SignalDescendants, ReachesWhatHasASessionOfItsOwn) {
  const pid_t child = child_in_a_session_of_its_own(true);
  while (signal_descendants(0) < 2) ::usleep(1000);
  EXPECT_EQ(signal_descendants(SIGKILL), 2);
  EXPECT_EQ(end_of(child), SIGKILL);
}

TEST_F(SignalDescendants, LeavesOutOneWithWhatItStarted) {
  const pid_t left_out = child_in_a_session_of_its_own(true);
  while (signal_descendants(0) < 2) ::usleep(1000);
  const pid_t other = child_in_a_session_of_its_own();
  EXPECT_EQ(signal_descendants(SIGKILL, left_out), 1);
  EXPECT_EQ(end_of(other), SIGKILL);
  EXPECT_EQ(::waitpid(left_out, nullptr, WNOHANG), 0) << "it lives";
  EXPECT_EQ(signal_descendants(SIGKILL), 2);
  EXPECT_EQ(end_of(left_out), SIGKILL);
}

TEST_F(SignalDescendants, OneThatWaitsToBeReapedCounts) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(3);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  EXPECT_EQ(signal_descendants(0), 1);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(signal_descendants(0), 0);
}

}  // namespace
}  // namespace lockstep::process
