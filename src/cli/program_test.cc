#include "cli/program.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verbs_for_tests.h"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;

class TemporaryFile {
 public:
  TemporaryFile() : file_(std::tmpfile()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::fclose(file_); }

  int fd() const { return ::fileno(file_); }
  std::string content() const {
    std::string text(static_cast<std::size_t>(::lseek(fd(), 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(fd(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  std::FILE* file_;
};

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

Outcome run(const Words& words) {
  const TemporaryFile out;
  const TemporaryFile err;
  Terminal terminal(out.fd(), err.fd(), true);
  const int status = run_program(words, kVerbsForTests, terminal);
  return {status, out.content(), err.content()};
}

Outcome run_into(int out_fd, const Words& words) {
  const TemporaryFile err;
  Terminal terminal(out_fd, err.fd(), true);
  const int status = run_program(words, kVerbsForTests, terminal);
  return {status, "", err.content()};
}

TEST(RunProgram, PassesOnTheStatusOfTheVerb) {
  EXPECT_EQ(run({"dump", "x"}).status, 1);
  EXPECT_EQ(run({"run", "--", "job"}).status, 42);
}

TEST(RunProgram, PrintsAnErrorOnceWithItsHint) {
  const Outcome outcome = run({"dump", "missing"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "lockstep: cannot open: missing: no such file\n  look again\n");
}

TEST(RunProgram, WithoutWordsShowsHelpAsAnError) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("Usage: lockstep VERB"));
}

TEST(RunProgram, ShowsHelpAndVersionOnStandardOutput) {
  EXPECT_THAT(run({"dump", "-h"}).out, StartsWith("lockstep dump - show a record file"));
  EXPECT_THAT(run({"--version"}).out, StartsWith("lockstep "));
}

TEST(RunProgram, ColoursAFileOnlyOnDemand) {
  EXPECT_EQ(run({"dump", "x"}).out, "plain\n");
  EXPECT_EQ(run({"dump", "x", "--color=always"}).out, "coloured\n");
  EXPECT_EQ(run({"dump", "x", "--color=never"}).out, "plain\n");
}

TEST(RunProgram, AFullDiskIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY);
  const Outcome outcome = run_into(full, {"dump", "x"});
  ::close(full);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "lockstep: cannot write: standard output: No space left on device\n");
}

TEST(RunProgram, AReaderThatHasGoneIsNone) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(run_into(ends[1], {"--help"}).err, "");
  EXPECT_EQ(run_into(ends[1], {"--help"}).status, 0);
  EXPECT_EQ(run_into(ends[1], {"dump", "x"}).status, 1);
  ::close(ends[1]);
}

TEST(Terminal, KeepsTheOrderOfTheTwoStreams) {
  const TemporaryFile both;
  Terminal terminal(both.fd(), both.fd(), false);
  ASSERT_TRUE(terminal.write("one ").ok());
  terminal.tell("two ");
  ASSERT_TRUE(terminal.write("three").ok());
  ASSERT_TRUE(terminal.flush().ok());
  EXPECT_EQ(both.content(), "one two three");
}

TEST(Terminal, RepeatsAFailureThatHappenedBeforeATell) {
  const int full = ::open("/dev/full", O_WRONLY);
  const TemporaryFile err;
  Terminal terminal(full, err.fd(), false);
  ASSERT_TRUE(terminal.write("lost").ok());
  terminal.tell("progress");
  EXPECT_FALSE(terminal.flush().ok());
  EXPECT_FALSE(terminal.flush().ok());
  ::close(full);
}

TEST(Terminal, IsEightyColumnsWideWhenItIsNone) {
  const TemporaryFile out;
  EXPECT_EQ(Terminal(out.fd(), out.fd(), true).width(), 80);
  EXPECT_FALSE(Terminal(out.fd(), out.fd(), true).out_is_terminal());
}

TEST(MessageOf, ShowsHostileTextAsText) {
  EXPECT_EQ(message_of({"unknown verb '\x1b]0;x\a'", "a\nb", "", "try\rthis"}),
            "lockstep: unknown verb '\\x1b]0;x\\x07': a\\nb\n  try\\rthis\n");
}

}  // namespace
}  // namespace lockstep::cli
