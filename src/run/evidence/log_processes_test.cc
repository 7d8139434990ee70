#include "run/evidence/log_processes.h"

#include <algorithm>
#include <fcntl.h>

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"
#include "run/evidence/child_for_tests.h"

namespace lockstep::evidence {
namespace {

class LogProcesses : public testing::Test {
 protected:
  LogProcesses() { folder_.write("log", "step 1\n"); }

  std::vector<WrittenLog> found() const {
    const std::filesystem::path logs[] = {folder_.path() / "other", log_};
    return written_logs({}, logs, since_);
  }

  // A byte tells that everything is open.
  void say_ready() const { EXPECT_EQ(::write(ready_[1], "!", 1), 1); }
  void wait_until_ready() const {
    char byte = 0;
    EXPECT_EQ(::read(ready_[0], &byte, 1), 1);
  }
  // Of what both sides of the fork have, a child keeps what it needs.
  void open_log(int mode) const { EXPECT_GE(::open(log_.c_str(), mode), 0); }

  std::chrono::system_clock::time_point since_ = std::chrono::system_clock::now() - std::chrono::hours(1);
  process::FolderForTests folder_;
  std::filesystem::path log_ = folder_.path() / "log";
  int ready_[2] = {};

 private:
  void SetUp() override { ASSERT_EQ(::pipe(ready_), 0); }
  void TearDown() override {
    for (const int end : ready_) ::close(end);
  }
};

TEST_F(LogProcesses, NobodyWritesAFinishedLog) {
  EXPECT_TRUE(found().empty());
}

TEST_F(LogProcesses, NobodyIsLookedForWhereAllLogsAreOld) {
  const ChildForTests writer([&] {
    open_log(O_WRONLY);
    say_ready();
  });
  wait_until_ready();
  EXPECT_EQ(found().size(), 1U);
  since_ = std::chrono::system_clock::now() + std::chrono::hours(1);
  EXPECT_TRUE(found().empty());
}

TEST_F(LogProcesses, AReaderIsNoWriter) {
  const ChildForTests reader([&] {
    open_log(O_RDONLY);
    say_ready();
  });
  wait_until_ready();
  EXPECT_TRUE(found().empty());
}

TEST_F(LogProcesses, TheWriterAndWhatItStarted) {
  const ChildForTests writer([&] {
    open_log(O_WRONLY | O_APPEND | O_CLOEXEC);
    if (::fork() == 0) {
      for (const int descriptor : {3, 4, 5, 6, 7, 8}) {
        if (descriptor != ready_[1]) ::close(descriptor);
      }
      say_ready();
    }
  });
  wait_until_ready();
  const auto logs = found();
  ASSERT_EQ(logs.size(), 1U);
  EXPECT_EQ(logs[0].log, 1U);
  EXPECT_EQ(std::count(logs[0].writers.begin(), logs[0].writers.end(), writer.pid()), 1);
  EXPECT_EQ(logs[0].processes.size(), 2U);
  ASSERT_FALSE(logs[0].processes.empty());
  ::kill(logs[0].processes.back(), SIGKILL);
}

TEST_F(LogProcesses, WhoFeedsTheWriterThroughAPipeIsOneToo) {
  int pipe[2] = {};
  ASSERT_EQ(::pipe(pipe), 0);
  const ChildForTests tee([&] {
    ::close(pipe[1]);
    open_log(O_WRONLY);
    say_ready();
  });
  const ChildForTests job([&] {
    ::close(pipe[0]);
    say_ready();
  });
  for (const int end : pipe) ::close(end);
  wait_until_ready();
  wait_until_ready();
  const auto logs = found();
  ASSERT_EQ(logs.size(), 1U);
  EXPECT_EQ(logs[0].writers, (std::vector<pid_t>{tee.pid(), job.pid()}));
}

}  // namespace
}  // namespace lockstep::evidence
