#include "base/process/capture.h"

#include <cerrno>
#include <sys/wait.h>

#include <gtest/gtest.h>

namespace lockstep::process {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kPlenty{60'000};

// Not one that runs, nor one that waits to be reaped. An orphan below this process is its child only while
// run() adopts.
bool nothing_left_running() {
  return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

Command shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}};
}

TEST(Capture, HasBothStreams) {
  const auto captured = capture(shell("echo one; echo two >&2"), kPlenty, 100);
  ASSERT_TRUE(captured.ok());
  EXPECT_EQ(captured.value().out, "one\n");
  EXPECT_EQ(captured.value().err, "two\n");
  EXPECT_FALSE(captured.value().timed_out);
  EXPECT_TRUE(nothing_left_running());
}

TEST(Capture, KeepsNoMoreThanItMay) {
  const auto captured = capture(shell("head -c 1000000 /dev/zero | tr '\\0' x"), kPlenty, 100);
  ASSERT_TRUE(captured.ok());
  EXPECT_EQ(captured.value().out, std::string(100, 'x'));
}

TEST(Capture, WhatTakesTooLongIsKilledWithItsChildren) {
  const auto captured = capture(shell("echo begun; sleep 1000 & sleep 1000"), milliseconds{300}, 100);
  ASSERT_TRUE(captured.ok());
  EXPECT_TRUE(captured.value().timed_out);
  EXPECT_TRUE(nothing_left_running());
}

TEST(Capture, AProgramThatIsNotThereIsAnError) {
  EXPECT_FALSE(capture({{"/no/such/program"}, {}}, kPlenty, 100).ok());
}

}  // namespace
}  // namespace lockstep::process
