// What the recorder does when its process forks, executes, exits, is interrupted or killed: the policies of
// docs/recorder.md, each with a real process and the file it leaves.
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/sample_recording.h"

namespace lockstep::tests {
namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

constexpr std::uint64_t kCalls = 1000;  // as in rank_program.c

struct Ended {
  int status = -1;  // of exit; 128 + signal when killed by one
  std::string output;
};

class Policies : public testing::Test {
 protected:
  // Runs to the end; standard output is read through a pipe.
  Ended run(const std::vector<std::string>& command, const Environment& more = {}) {
    Environment environment = {{"LOCKSTEP_RECORD", folder()}};
    for (const auto& [name, value] : more) environment[name] = value;
    std::string line = "env";
    for (const auto& [name, value] : environment) line += " " + name + "=" + value;
    for (const std::string& word : command) line += " " + word;
    std::FILE* pipe = ::popen(("exec " + line).c_str(), "r");
    Ended ended;
    std::array<char, 256> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) ended.output += buffer.data();
    const int status = ::pclose(pipe);
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
  }
  Ended run_rank(const std::string& mode, const Environment& more = {}) {
    return run({RANK_PROGRAM, mode}, more);
  }

  std::string folder() const { return scratch_ / "recording"; }
  std::string file(int rank, int restart = 0) const {
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), LOCKSTEP_RANK_FILE_PATTERN, rank, static_cast<unsigned>(restart));
    return folder() + "/" + name.data();
  }
  std::size_t files() const {
    if (!fs::exists(folder())) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder()), {}));
  }

 private:
  ScratchFolder scratch_;
};

struct Summary {
  std::uint64_t calls = 0;
  std::uint64_t dones = 0;
  std::vector<int> goodbyes;
  record::ReadStats stats;
  lockstep_file_header header{};
};

Summary summary_of(const std::string& path) {
  Summary summary;
  auto reader = record::Reader::open(path);
  EXPECT_TRUE(reader.ok()) << (reader.ok() ? "" : reader.error().why);
  if (!reader.ok()) return summary;
  summary.header = reader.value().header();
  while (const record::RecordView* view = reader.value().next()) {
    if (view->type == LOCKSTEP_RECORD_CALL) ++summary.calls;
    if (view->type == LOCKSTEP_RECORD_DONE) ++summary.dones;
    if (view->type == LOCKSTEP_RECORD_END) summary.goodbyes.push_back(view->as<lockstep_end>()->exit_status);
  }
  summary.stats = reader.value().stats();
  EXPECT_FALSE(summary.stats.is_damaged());
  return summary;
}

void expect_calls(const Summary& summary, std::uint64_t calls) {
  EXPECT_EQ(summary.calls, calls);
  EXPECT_EQ(summary.dones, calls);
  EXPECT_EQ(summary.stats.dropped, 0U);
}

TEST_F(Policies, ExitSaysGoodbyeWithItsStatus) {
  EXPECT_EQ(run_rank("exit").status, 3);
  const Summary summary = summary_of(file(1));
  expect_calls(summary, kCalls);
  EXPECT_THAT(summary.goodbyes, testing::ElementsAre(3));
  EXPECT_EQ(summary.header.rank, 1);
  EXPECT_EQ(summary.header.world_size, 4);
}

TEST_F(Policies, ExitWhileOtherThreadsCallIsHarmless) {
  EXPECT_EQ(run_rank("exit_with_threads", {{"LOCKSTEP_MAX_RECORD_SIZE", "4M"}}).status, 3);
  EXPECT_THAT(summary_of(file(1)).goodbyes, testing::ElementsAre(3));
}

TEST_F(Policies, AnExitThatSkipsHandlersLeavesEventsAndNoGoodbye) {
  EXPECT_EQ(run_rank("_exit").status, 3);
  const Summary summary = summary_of(file(1));
  expect_calls(summary, kCalls);
  EXPECT_THAT(summary.goodbyes, testing::IsEmpty());
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LOCKSTEP_UNDER_TSAN 1
#endif
#endif

#ifndef LOCKSTEP_UNDER_TSAN  // its runtime does not come back from a fault in memory that it has shadowed
// Each way of recording: all of it, a ring, a small file, contents, contents of some steps, checksums.
TEST_F(Policies, AFileThatIsCutShortEndsTheRecordingAndNotTheJob) {
  const Environment modes[] = {{},
                               {{"LOCKSTEP_MAX_RECORD_SIZE", "1M"}},
                               {{"LOCKSTEP_MAX_RECORD_SIZE", "512K"}, {"LOCKSTEP_RECORD_MODE", "full"}},
                               {{"LOCKSTEP_PAYLOAD", "1"}},
                               {{"LOCKSTEP_PAYLOAD", "1"}, {"LOCKSTEP_PAYLOAD_STEPS", "2"}},
                               {{"LOCKSTEP_CHECKSUMS", "1"}}};
  for (const Environment& mode : modes) {
    fs::remove_all(folder());
    EXPECT_EQ(run({RANK_PROGRAM, "lose_the_file", file(1)}, mode).status, 3);
  }
}
#endif

TEST_F(Policies, EveryOtherBusErrorIsTheJobsOwn) {
  const Environment no_report = {{"ASAN_OPTIONS", "handle_sigbus=0"}, {"TSAN_OPTIONS", "handle_sigbus=0"}};
  EXPECT_EQ(run_rank("bus_error", no_report).status, 128 + SIGBUS);
  EXPECT_EQ(run_rank("killed_by_bus", no_report).status, 128 + SIGBUS);
  EXPECT_EQ(run_rank("fault_in_a_child", no_report).status, 3);
  EXPECT_EQ(run_rank("own_faults").status, 3);
  EXPECT_EQ(run_rank("sent_bus_error").status, 3);
}

TEST_F(Policies, AFatalSignalLeavesEventsAndNoGoodbye) {
  EXPECT_EQ(run_rank("abort").status, 128 + SIGABRT);
  const Summary summary = summary_of(file(1));
  expect_calls(summary, kCalls);
  EXPECT_THAT(summary.goodbyes, testing::IsEmpty());
}

TEST_F(Policies, AForkedDataLoaderRecordsNothing) {
  EXPECT_EQ(run_rank("fork").status, 0);
  EXPECT_EQ(files(), 1U);
  const Summary summary = summary_of(file(1));
  expect_calls(summary, 2 * kCalls);
  EXPECT_THAT(summary.goodbyes, testing::ElementsAre(0)) << "the child's exit is not the rank's";
}

TEST_F(Policies, AChildMadeBehindTheBackOfTheLibraryRecordsNothing) {
  EXPECT_EQ(run_rank("clone").status, 0);
  EXPECT_EQ(files(), 1U);
  expect_calls(summary_of(file(1)), 2 * kCalls);
}

TEST_F(Policies, AForkedChildMayBecomeARankOfItsOwn) {
  EXPECT_EQ(run_rank("fork_rank").status, 0);
  EXPECT_EQ(files(), 2U);
  expect_calls(summary_of(file(1)), kCalls);
  const Summary child = summary_of(file(2));
  expect_calls(child, kCalls / 2);
  EXPECT_THAT(child.goodbyes, testing::ElementsAre(7));
}

TEST_F(Policies, ARankThatStartsAgainBeginsAFurtherFile) {
  EXPECT_EQ(run_rank("start_again").status, 3);
  EXPECT_EQ(files(), 2U);
  const Summary before = summary_of(file(1));
  EXPECT_GE(before.calls, kCalls);
  EXPECT_THAT(before.goodbyes, testing::ElementsAre(-1));
  const Summary after = summary_of(file(0, 4));
  EXPECT_GE(after.calls, kCalls);
  EXPECT_EQ(after.header.rank, 0);
  EXPECT_EQ(after.header.world_size, 3);
  EXPECT_THAT(after.goodbyes, testing::ElementsAre(3)) << "the exit belongs to the last life";
}

TEST_F(Policies, ExecBeginsAFurtherFile) {
  EXPECT_EQ(run_rank("exec").status, 3);
  EXPECT_EQ(files(), 2U);
  const Summary before = summary_of(file(1, 0));
  expect_calls(before, kCalls);
  EXPECT_THAT(before.goodbyes, testing::IsEmpty());
  const Summary after = summary_of(file(1, 1));
  expect_calls(after, kCalls);
  EXPECT_EQ(after.header.restart, 1U);
}

TEST_F(Policies, AHandlerThatCallsInIsTurnedAwayAndCounted) {
  ASSERT_EQ(run_rank("signals").status, 0) << "or errno was changed";
  const Summary summary = summary_of(file(1));
  EXPECT_GT(summary.calls, kCalls);
  EXPECT_GE(summary.calls, summary.dones);
  EXPECT_GT(summary.stats.dropped, 0U);
}

TEST_F(Policies, DlcloseDoesNotUnloadIt) {
  EXPECT_EQ(run({DLCLOSE_PROGRAM, RECORDER_LIBRARY}).status, 5);
  EXPECT_THAT(summary_of(file(1)).goodbyes, testing::ElementsAre(5));
}

TEST_F(Policies, ThreadsThatEndLeaveTheirRoomToOthers) {
  ASSERT_EQ(run_rank("threads").status, 0);
  const Summary summary = summary_of(file(1));
  expect_calls(summary, 1500U * 5 + 4U * 20000);
  EXPECT_LT(summary.stats.chunks, 400U);
}

#ifdef COUNTING_RANK_PROGRAM  // a sanitizer has an allocator of its own
TEST_F(Policies, ARankNeverAllocatesThroughItsAllocator) {
  EXPECT_EQ(run({COUNTING_RANK_PROGRAM, "allocations"}).status, 0);
}
#endif

TEST_F(Policies, AnOlderAdapterIsUnderstood) {
  ASSERT_EQ(run_rank("old_adapter").status, 0);
  auto reader = record::Reader::open(file(1));
  ASSERT_TRUE(reader.ok());
  while (const record::RecordView* view = reader.value().next()) {
    if (view->type != LOCKSTEP_RECORD_CALL) continue;
    EXPECT_EQ(view->as<lockstep_call>()->payload_bytes, 0U);
    EXPECT_EQ(view->as<lockstep_call>()->stream, 0U);
  }
}

TEST_F(Policies, WithoutAnAdapterNothingIsLeft) {
  EXPECT_EQ(run_rank("launcher", {{"RANK", "0"}}).status, 0);
#ifdef COUNTING_RANK_PROGRAM  // a sanitizer's library does not load into other programs
  const Environment preloaded = {{"RANK", "0"}, {"LD_PRELOAD", RECORDER_LIBRARY}};
  EXPECT_EQ(run({"sh", "-c", "'ls / | cat >/dev/null; exit 4'"}, preloaded).status, 4);
#endif
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(Policies, OffMeansOff) {
  const Ended ended = run_rank("start_fails", {{"LOCKSTEP_RECORD", "\"\""}});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(std::stoi(ended.output), ECANCELED);
  EXPECT_EQ(files(), 0U);
}

TEST_F(Policies, AFolderThatCannotBeMadeStopsOnlyTheRecording) {
  const Ended ended = run_rank("start_fails", {{"LOCKSTEP_RECORD", "/proc/nowhere"}});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(std::stoi(ended.output), ENOENT);
}

TEST_F(Policies, TheLauncherTellsTheRankWhenTheAdapterDoesNot) {
  EXPECT_EQ(
      run_rank("rank_of_environment", {{"RANK", "3"}, {"LOCAL_RANK", "1"}, {"SLURM_PROCID", "0"}}).status, 0);
  const Summary summary = summary_of(file(3));
  EXPECT_EQ(summary.header.local_rank, 1);
}

TEST_F(Policies, AFullRecordingDropsAndCounts) {
  const Environment full = {{"LOCKSTEP_MAX_RECORD_SIZE", "1M"}, {"LOCKSTEP_RECORD_MODE", "full"}};
  ASSERT_EQ(run_rank("threads", full).status, 0);
  const Summary summary = summary_of(file(1));
  EXPECT_GT(summary.stats.dropped, 0U);
  EXPECT_EQ(summary.calls + summary.dones + summary.stats.dropped, 2 * (1500U * 5 + 4U * 20000));
  EXPECT_LE(fs::file_size(file(1)), 1U << 20);
}

TEST_F(Policies, ARingKeepsTheNewest) {
  ASSERT_EQ(run_rank("threads", {{"LOCKSTEP_MAX_RECORD_SIZE", "1M"}}).status, 0);
  const Summary summary = summary_of(file(1));
  EXPECT_EQ(summary.stats.dropped, 0U);
  EXPECT_GT(summary.stats.overwritten_chunks, 0U);
  EXPECT_LE(fs::file_size(file(1)), 1U << 20);
  EXPECT_THAT(summary.goodbyes, testing::ElementsAre(0));
}

class OtherAllocators : public Policies, public testing::WithParamInterface<const char*> {};

TEST_P(OtherAllocators, WorkBesideIt) {
  const std::string library = GetParam();
  ASSERT_TRUE(fs::exists(library)) << library << " is missing: make deps";
  const Environment preloaded = {{"LD_PRELOAD", library + ":" + RECORDER_LIBRARY}};
  EXPECT_EQ(run_rank("threads", preloaded).status, 0);
  expect_calls(summary_of(file(1)), 1500U * 5 + 4U * 20000);
}

#ifdef COUNTING_RANK_PROGRAM
INSTANTIATE_TEST_SUITE_P(Preloaded, OtherAllocators,
                         testing::Values(LIBRARY_FOLDER "/libjemalloc.so.2",
                                         LIBRARY_FOLDER "/libtcmalloc_minimal.so.4",
                                         LIBRARY_FOLDER "/libmimalloc.so.2.0"));

TEST_F(Policies, WhereTheKernelCannotWipeTheCLibraryDoes) {
  for (const char* mode : {"fork", "fork_rank"})
    EXPECT_EQ(run({OLD_KERNEL_RANK_PROGRAM, mode}).status, 0) << mode;
  EXPECT_EQ(files(), 3U);
  expect_calls(summary_of(file(1, 0)), 2 * kCalls);
  expect_calls(summary_of(file(1, 1)), kCalls);
  expect_calls(summary_of(file(2, 0)), kCalls / 2);
}

TEST_F(Policies, ValgrindFindsNothing) {
  const std::vector<std::string> command = {"valgrind", "--quiet", "--error-exitcode=77", RANK_PROGRAM};
  for (const char* mode : {"fork", "exit"}) {
    std::vector<std::string> words = command;
    words.emplace_back(mode);
    EXPECT_EQ(run(words).status, std::string_view(mode) == "exit" ? 3 : 0) << mode;
  }
  expect_calls(summary_of(file(1, 0)), 2 * kCalls);
  expect_calls(summary_of(file(1, 1)), kCalls);
}
#endif
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OtherAllocators);

}  // namespace
}  // namespace lockstep::tests
