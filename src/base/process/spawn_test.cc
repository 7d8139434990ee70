#include "base/process/spawn.h"

#include <cerrno>
#include <poll.h>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "base/process/environment.h"

namespace lockstep::process {
namespace {

std::string read_all(const Descriptor& from) {
  std::string text;
  char buffer[256];
  for (;;) {
    const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
    if (count == 0) return text;
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    pollfd waited{.fd = from.get(), .events = POLLIN, .revents = 0};
    if (count < 0 && errno == EAGAIN) ::poll(&waited, 1, -1);
  }
}

TEST(Spawn, AProgramThatIsTalkedToReadsWhatIsWritten) {
  auto started = spawn({.argv = {"cat"}, .environment = own_environment(), .is_talked_to = true});
  ASSERT_TRUE(started.ok());
  Spawned& cat = started.value();
  ASSERT_EQ(::write(cat.in.get(), "said\n", 5), 5);
  cat.in.close();
  EXPECT_EQ(read_all(cat.out), "said\n");
  int status = -1;
  EXPECT_EQ(::waitpid(cat.pid, &status, 0), cat.pid);
  EXPECT_EQ(status, 0);
}

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
