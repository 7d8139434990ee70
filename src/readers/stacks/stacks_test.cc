// Every kind of stack dump, from real processes, comes to the same thing in the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/format.h"
#include "readers/stacks/process_dump.h"
#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using model::kUnknownRank;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::seed;

model::Job read_stacks(std::string_view format, const std::string& bytes,
                       const char* path = "dumps/stacks.txt") {
  const Source source{.name = "stacks.txt", .path = path, .bytes = bytes};
  const Format* found = sniff(source);
  EXPECT_NE(found, nullptr) << path;
  if (found == nullptr) return {};
  EXPECT_EQ(found->name, format);
  return found->read(source);
}

std::string frame_text(const model::Frame& frame) {
  return frame.function + " " + frame.file + ":" + std::to_string(frame.line);
}

std::vector<std::string> frames_of(const model::Job& job, model::StackId stack) {
  std::vector<std::string> frames;
  if (stack == model::StackId::kNone) return frames;
  for (const model::Frame& frame : job.stacks[stack]) frames.push_back(frame_text(frame));
  return frames;
}

std::vector<std::string> main_frames(const model::Job& job, std::size_t rank = 0) {
  for (const model::StackSnapshot& snapshot : job.ranks.at(rank).snapshots) {
    if (snapshot.is_main) return frames_of(job, snapshot.stack);
  }
  return {"no main thread"};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(PySpyText, SaysWhereTheRankWaits) {
  const model::Job job = read_stacks("py-spy stacks", seed("stack_dumps/py_spy_waiting"));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.pid, 10620);
  EXPECT_EQ(job.ranks[0].rank.number, kUnknownRank) << "merge finds it by the pid";
  EXPECT_THAT(main_frames(job),
              ElementsAre("all_reduce torch/distributed/distributed_c10d.py:3252",
                          "_exception_logger.<locals>.wrapper torch/distributed/c10d_logger.py:83",
                          "train hang.py:12", "<module> hang.py:15"));
  EXPECT_FALSE(job.ranks[0].snapshots[0].holds_lock);
  EXPECT_EQ(job.ranks[0].snapshots[0].position, 4U);
  EXPECT_EQ(job.ranks[0].snapshots[1].thread_name, "heartbeat");
  EXPECT_FALSE(job.ranks[0].snapshots[1].is_main);
  EXPECT_THAT(job.sources, ElementsAre("stacks.txt"));
  EXPECT_THAT(job.limits, IsEmpty());
}

TEST(PySpyText, TellsWhoHoldsTheInterpretersLock) {
  const model::Job job = read_stacks("py-spy stacks", seed("stack_dumps/py_spy_computing"));
  EXPECT_TRUE(job.ranks[0].snapshots[0].holds_lock);
  EXPECT_FALSE(job.ranks[0].snapshots[1].holds_lock);
}

TEST(PySpyText, NativeFramesAndLocalVariablesDoNotConfuseIt) {
  EXPECT_THAT(main_frames(read_stacks("py-spy stacks", seed("stack_dumps/py_spy_native"))),
              ElementsAre("train hang.py:14", "<module> hang.py:15", "0x7fd0b17c224a libc.so.6:0"));
  EXPECT_THAT(main_frames(read_stacks("py-spy stacks", seed("stack_dumps/py_spy_locals"))),
              ElementsAre("train hang.py:14", "<module> hang.py:15"));
}

TEST(PySpyText, OfAProcessTreeOnlyTheRanksCount) {
  const model::Job job = read_stacks("py-spy stacks", seed("stack_dumps/py_spy_subprocesses"));
  ASSERT_EQ(job.ranks.size(), 2U) << "not the launcher";
  EXPECT_EQ(job.ranks[0].rank.pid, 10621);
  EXPECT_EQ(job.ranks[1].rank.pid, 10620);
}

TEST(PySpyText, TheNameOfTheFileTellsTheRankButAPidInItDoesNot) {
  const std::string text = seed("stack_dumps/py_spy_waiting");
  EXPECT_EQ(read_stacks("py-spy stacks", text, "stacks/rank_3.txt").ranks[0].rank.number, 3);
  EXPECT_EQ(read_stacks("py-spy stacks", text, "stacks/py_spy_10620.txt").ranks[0].rank.number, kUnknownRank);
  EXPECT_EQ(read_stacks("py-spy stacks", seed("stack_dumps/py_spy_subprocesses"), "rank_3.txt")
                .ranks[0]
                .rank.number,
            kUnknownRank)
      << "two processes cannot both be rank 3";
}

TEST(PySpyText, LinesOfSeveralRanksMayAlternate) {
  const std::string first = seed("stack_dumps/py_spy_waiting");
  const std::string second = seed("stack_dumps/py_spy_computing");
  std::istringstream a(first);
  std::istringstream b(second);
  std::string log;
  for (std::string line; std::getline(a, line);) {
    log += "[1,0]<stdout>:" + line + "\n";
    if (std::getline(b, line)) log += "[1,1]<stdout>:" + line + "\n";
  }
  const model::Job job = read_stacks("py-spy stacks", log);
  ASSERT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(job.ranks[0].rank.number, 0);
  EXPECT_EQ(job.ranks[0].rank.pid, 10620);
  EXPECT_EQ(main_frames(job, 0).size(), 4U);
  EXPECT_EQ(job.ranks[1].rank.number, 1);
  EXPECT_THAT(main_frames(job, 1), ElementsAre("train hang.py:14", "<module> hang.py:15"));
}

TEST(PySpyJson, SaysTheSameAsTheText) {
  const model::Job job = read_stacks("py-spy stacks, JSON", seed("stack_dumps/py_spy_json"));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.pid, 10621);
  EXPECT_THAT(main_frames(job), ElementsAre("train /job/hang.py:14", "<module> /job/hang.py:15"));
  EXPECT_EQ(job.ranks[0].snapshots.size(), 2U);
  EXPECT_TRUE(job.ranks[0].snapshots[1].holds_lock);
  EXPECT_THAT(job.limits, IsEmpty());
}

TEST(PySpyJson, OneCutShortGivesItsWholeThreads) {
  const std::string whole = seed("stack_dumps/py_spy_json");
  const model::Job job = read_stacks("py-spy stacks, JSON", whole.substr(0, whole.size() - 20));
  EXPECT_EQ(job.ranks[0].snapshots.size(), 1U);
  EXPECT_THAT(job.limits, ElementsAre("stacks.txt: cut after 1 threads"));
}

TEST(Pystack, ReadsACoreWithItsSignal) {
  const model::Job job = read_stacks("pystack stacks", seed("stack_dumps/pystack_core"));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.pid, 570);
  EXPECT_EQ(job.ranks[0].rank.end, model::RankEnd::kSignalled);
  EXPECT_EQ(job.ranks[0].rank.exit_status, 7);
  EXPECT_THAT(main_frames(job),
              ElementsAre("train /job/train.py:14", "<module> /job/train.py:15", "_start ???:0"));
  EXPECT_TRUE(job.ranks[0].snapshots[1].holds_lock);
  EXPECT_EQ(job.ranks[0].snapshots[0].thread_name, "python3.11");
  EXPECT_THAT(frames_of(job, job.ranks[0].snapshots[0].stack),
              ElementsAre("clock_nanosleep ./time/clock_nanosleep.c:48", "heartbeat /job/train.py:8",
                          "_bootstrap /usr/lib/python3.11/threading.py:995", "clone ???:0"));
}

TEST(Pystack, ReadsColoursAndSeveralProcesses) {
  const std::string one = seed("stack_dumps/pystack_remote_coloured");
  const model::Job job = read_stacks("pystack stacks", one + replaced(one, "106", "207"));
  ASSERT_EQ(job.ranks.size(), 2U) << "the main thread comes last, so another process follows it";
  EXPECT_EQ(job.ranks[0].rank.pid, 10621);
  EXPECT_EQ(job.ranks[1].rank.pid, 20721);
  EXPECT_THAT(main_frames(job, 1), ElementsAre("<module> /job/train.py:15"));
  EXPECT_EQ(job.ranks[0].snapshots[0].thread_name, "heartbeat");
}

TEST(Faulthandler, TheMainThreadIsTheLastOfItsDump) {
  const model::Job job = read_stacks("faulthandler stacks", seed("stack_dumps/faulthandler_on_request"),
                                     "logs/none_x/attempt_1/0/stderr.log");
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.number, 0);
  EXPECT_EQ(job.ranks[0].rank.local_rank, 0);
  EXPECT_EQ(job.ranks[0].rank.restart, 1);
  EXPECT_EQ(job.ranks[0].snapshots.size(), 2U);
  EXPECT_THAT(main_frames(job), ElementsAre(HasSubstr("all_reduce "), HasSubstr("wrapper "),
                                            "train /job/hang.py:12", "<module> /job/hang.py:15"));
  EXPECT_THAT(job.limits, ElementsAre(HasSubstr("only the local rank")));
}

TEST(Faulthandler, AFatalErrorIsAFailureAndAnEnd) {
  const model::Job job =
      read_stacks("faulthandler stacks", seed("stack_dumps/faulthandler_segmentation_fault"), "rank_1.log");
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].snapshots.size(), 4U) << "one dump on request, one at the end";
  EXPECT_TRUE(job.ranks[0].snapshots[1].is_main);
  EXPECT_TRUE(job.ranks[0].snapshots[3].is_main);
  ASSERT_EQ(job.ranks[0].failures.size(), 1U);
  EXPECT_EQ(job.ranks[0].failures[0].message, "Fatal Python error: Segmentation fault");
  EXPECT_THAT(frames_of(job, job.ranks[0].failures[0].stack),
              ElementsAre("train /job/hang.py:14", "<module> /job/hang.py:15"));
  EXPECT_EQ(job.ranks[0].rank.end, model::RankEnd::kSignalled);
  EXPECT_EQ(job.ranks[0].rank.exit_status, 11);
}

TEST(Faulthandler, OneStackAndATimeoutAreTwoDumps) {
  const model::Job job = read_stacks("faulthandler stacks", seed("stack_dumps/faulthandler_timeout"));
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].snapshots.size(), 3U);
  EXPECT_TRUE(job.ranks[0].snapshots[0].is_main) << "not started by the threading module";
  EXPECT_FALSE(job.ranks[0].snapshots[1].is_main);
  EXPECT_TRUE(job.ranks[0].snapshots[2].is_main);
  EXPECT_THAT(job.limits, ElementsAre(HasSubstr("nothing tells which rank")));
}

TEST(Faulthandler, WithoutItsLastThreadsThereIsNoMainOne) {
  const std::string text =
      "Thread 0x01 (most recent call first):\n  File \"a.py\", line 1 in f\n\n"
      "Current thread 0x02 [worker 2] (most recent call first):\n  File \"a.py\", line 2 in g\n\n...\n";
  const model::Job job = read_stacks("faulthandler stacks", text, "rank_0.txt");
  EXPECT_EQ(job.ranks[0].snapshots.size(), 2U);
  EXPECT_EQ(job.ranks[0].snapshots[1].thread_name, "worker 2");
  EXPECT_FALSE(job.ranks[0].snapshots[1].is_main);
}

TEST(Faulthandler, FindsTheRanksOfALog) {
  std::string log = "epoch 1 loss 0.3\n";
  std::istringstream dump(seed("stack_dumps/faulthandler_segmentation_fault"));
  for (std::string line; std::getline(dump, line);) {
    log += "[default1]:" + line + "\n[default0]:step 3 of 10\n";
  }
  const model::Job job = read_stacks("faulthandler stacks", log, "launcher.log");
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.local_rank, 1);
  EXPECT_EQ(job.ranks[0].snapshots.size(), 4U);
}

TEST(DebugServer, SectionsNameTheRanks) {
  const std::string stacks =
      "PARTIAL DATA: 2/3 workers responded\n  Rank 1: timed out\n\n"
      "=== Rank 0: http://node-a:25999 ===\n" +
      seed("stack_dumps/faulthandler_on_request") +
      "\n=== Rank 1: http://node-b:25999 ===\nError: 503\n"
      "=== Rank 2: http://[fd00::7]:25999 ===\n" +
      seed("stack_dumps/faulthandler_timeout");
  const model::Job job = read_stacks("faulthandler stacks", stacks, "stacks_17.txt");
  ASSERT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(job.ranks[0].rank.number, 0);
  EXPECT_EQ(job.ranks[1].rank.number, 2);
  EXPECT_EQ(job.hosts.at(static_cast<std::size_t>(*job.ranks[0].rank.host)).name, "node-a");
  EXPECT_EQ(job.hosts.at(static_cast<std::size_t>(*job.ranks[1].rank.host)).name, "fd00::7");
  EXPECT_THAT(job.limits, ElementsAre("stacks.txt: rank 1 gave no stacks (Error: 503)"));
}

TEST(Stacks, CutAnywhereGivesNoMoreThanTheWholeFile) {
  for (const char* name :
       {"py_spy_subprocesses", "py_spy_json", "py_spy_locals", "pystack_core", "pystack_remote_coloured",
        "faulthandler_segmentation_fault", "faulthandler_timeout"}) {
    const std::string whole = seed(std::string("stack_dumps/") + name);
    std::size_t most = 0;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      const Source source{.name = name, .path = name, .bytes = cut};
      const Format* format = sniff(source);
      if (format == nullptr) continue;
      std::size_t snapshots = 0;
      for (const model::RankHistory& history : format->read(source).ranks)
        snapshots += history.snapshots.size();
      ASSERT_GE(snapshots, most) << name << " cut at " << size;
      most = snapshots;
    }
    ASSERT_GT(most, 0U) << name;
  }
}

TEST(Stacks, OtherTextsAreNotDumps) {
  for (const char* text :
       {"", "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'y'\n",
        "Process 12: started\nPython is fun\n", "[1, 2, 3]", "Thread 0x12 is idle\n",
        "the order is (most recent call first):\n", "{\"owns_gil\": 1, \"os_thread_id\": 2}"}) {
    EXPECT_EQ(sniff({.name = "x", .path = "x", .bytes = text}), nullptr) << text;
  }
}

TEST(PythonTraceback, TheLastExceptionIsTheOneThatEndedIt) {
  const model::Stack stack = last_traceback(
      "Traceback (most recent call last):\n  File \"a.py\", line 5, in load\nKeyError: 'y'\n\n"
      "The above exception was the direct cause of the following exception:\n\n"
      "Traceback (most recent call last):\n  File \"odd\", line 1\".py\", line 9, in <module>\n    load()\n"
      "  File \"a.py\", line 13, in main\n    raise RuntimeError\nRuntimeError\n");
  ASSERT_EQ(stack.size(), 2U);
  EXPECT_EQ(frame_text(stack[0]), "main a.py:13");
  EXPECT_EQ(frame_text(stack[1]), "<module> odd\", line 1\".py:9");
}

}  // namespace
}  // namespace lockstep::readers
