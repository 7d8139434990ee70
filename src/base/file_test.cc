#include "base/file.h"

#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockstep::base {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep-file-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(FileTest, WhatIsWrittenIsRead) {
  ASSERT_TRUE(write_file(folder_ / "a", "one").ok());
  ASSERT_TRUE(write_file(folder_ / "a", "two").ok());
  EXPECT_EQ(read_file(folder_ / "a", 100).value(), "two");
}

TEST_F(FileTest, NothingIsLeftBesideTheTarget) {
  ASSERT_TRUE(write_file(folder_ / "a", "text").ok());
  EXPECT_FALSE(write_file(folder_ / "missing" / "a", "text").ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, AFailedWriteKeepsTheOldFile) {
  fs::create_directory(folder_ / "taken");
  const Result<void> written = write_file(folder_ / "taken", "text");  // a folder cannot be replaced
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().what, "cannot write");
  EXPECT_TRUE(fs::is_directory(folder_ / "taken"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, AFileOverTheLimitIsAnError) {
  std::ofstream(folder_ / "large") << std::string(1001, 'x');
  EXPECT_TRUE(read_file(folder_ / "large", 1001).ok());
  const Result<std::string> read = read_file(folder_ / "large", 1000);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().why, "larger than 1000 bytes");
}

TEST_F(FileTest, WhatIsNoFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "zeros");
  fs::create_symlink("pipe", folder_ / "to_pipe");
  for (const char* name : {"pipe", "zeros", "to_pipe"}) {
    const Result<std::string> read = read_file(folder_ / name, 100);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().why, "not a regular file");
    EXPECT_FALSE(MappedFile(folder_ / name).fault().empty());
  }
}

TEST_F(FileTest, ALinkToAFileAndAPipeOfTheShellAreRead) {
  std::ofstream(folder_ / "a") << "text";
  fs::create_symlink("a", folder_ / "link");
  EXPECT_EQ(read_file(folder_ / "link", 100).value(), "text");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0]), 100).value(), "piped");
  ::close(ends[0]);
}

TEST_F(FileTest, AMissingFileAndAFolderAreErrorsThatNameIt) {
  const Result<std::string> missing = read_file(folder_ / "none", 10);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().where, (folder_ / "none").string());
  EXPECT_FALSE(read_file(folder_, 10).ok());
}

TEST(WriteAll, GoesOnThroughAFullNonBlockingPipe) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const std::string content(1 << 20, 'x');
  std::string received;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ::_exit(write_all(ends[1], content) ? 0 : 1);
  }
  ::close(ends[1]);
  char chunk[4096];
  for (;;) {
    const ssize_t count = ::read(ends[0], chunk, sizeof chunk);
    if (count == 0) break;
    if (count > 0) received.append(chunk, static_cast<std::size_t>(count));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(received, content);
  ::close(ends[0]);
}

}  // namespace
}  // namespace lockstep::base
