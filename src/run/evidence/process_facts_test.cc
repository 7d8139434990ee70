#include "run/evidence/process_facts.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::evidence {
namespace {

constexpr std::string_view kStoppedStat = "7 (python3) T 1 7 7 0 -1 0 0 0 0 0 250 50 0 0 20 0 2 0 99 0 0 0";

process::FolderForTests& with_stopped_process(process::FolderForTests& folder) {
  folder.write("proc/7/stat", kStoppedStat);
  folder.write("proc/7/status", "Name:\tpython3\nState:\tT (stopped)\nVmRSS:\t 10 kB\nThreads:\t2\n");
  folder.write("proc/7/wchan", "do_signal_stop");
  folder.write("proc/7/syscall", "202 0x1 0x2\n");
  folder.write("proc/7/stack", "[<0>] do_signal_stop+0x1/0x2\n[<0>] get_signal+0x3/0x4\n");
  folder.write("proc/7/fd/0", "");
  folder.write("proc/7/fd/1", "");
  folder.write("proc/7/limits",
               "Max open files            1024                 4096                 files\n");
  folder.write("proc/7/oom_score", "666\n");
  for (const char* thread : {"7", "12"}) {
    folder.write(std::string("proc/7/task/") + thread + "/stat", kStoppedStat);
    folder.write(std::string("proc/7/task/") + thread + "/comm", "pt_autograd_0\n");
    folder.write(std::string("proc/7/task/") + thread + "/wchan", "0");
  }
  return folder;
}

TEST(ProcessFacts, AreReadFromTheFolderOfTheProcess) {
  process::FolderForTests folder;
  const ProcessFacts facts = facts_of_process(with_stopped_process(folder).roots(), 7);
  EXPECT_EQ(facts.state, 'T');
  EXPECT_EQ(facts.waits_in, "do_signal_stop");
  EXPECT_EQ(facts.system_call, "202 0x1 0x2");
  EXPECT_EQ(facts.kernel_stack, (std::vector<std::string>{"do_signal_stop+0x1/0x2", "get_signal+0x3/0x4"}));
  EXPECT_EQ(facts.resident_bytes, 10U * 1024);
  EXPECT_EQ(facts.open_files, 2U);
  EXPECT_EQ(facts.open_files_limit, 1024U);
  EXPECT_EQ(facts.oom_score, 666);
  EXPECT_EQ(facts.cpu_seconds, 300.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  ASSERT_EQ(facts.threads.size(), 2U);
  EXPECT_EQ(facts.threads[0].tid, 7);
  EXPECT_EQ(facts.threads[1].tid, 12);
  EXPECT_EQ(facts.threads[1].name, "pt_autograd_0");
  EXPECT_EQ(facts.threads[1].waits_in, "");
}

TEST(ProcessFacts, OfAProcessThatIsNotThereSayThatItIsGone) {
  const process::FolderForTests folder;
  const ProcessFacts facts = facts_of_process(folder.roots(), 4711);
  EXPECT_EQ(facts.pid, 4711);
  EXPECT_EQ(facts.state, process::kGone);
  EXPECT_EQ(state_in_words(facts.state), "is gone");
}

TEST(ProcessFacts, OfManyThreadsKeepTheFirst) {
  process::FolderForTests folder;
  with_stopped_process(folder);
  for (int tid = 100; tid < 200; ++tid) {
    folder.write("proc/7/task/" + std::to_string(tid) + "/stat", kStoppedStat);
  }
  EXPECT_EQ(facts_of_process(folder.roots(), 7).threads.size(), kMaxThreads);
}

TEST(ProcessFacts, OfThisProcessAreThere) {
  const ProcessFacts facts = facts_of_process(process::Roots{}, ::getpid());
  EXPECT_EQ(facts.state, 'R');
  EXPECT_GT(facts.resident_bytes.value_or(0), 0U);
  EXPECT_GT(facts.open_files.value_or(0), 0U);
  EXPECT_FALSE(facts.threads.empty());
}

using namespace std::string_view_literals;

TEST(ProcessRank, IsWhatTheLauncherSaid) {
  const process::FolderForTests folder;
  folder.write("proc/7/environ", "LOCAL_RANK=1\0RANK=5\0WORLD_SIZE=8\0"sv);
  folder.write("proc/8/environ", "PATH=/bin\0OMPI_COMM_WORLD_RANK=3\0"sv);
  folder.write("proc/9/environ", "NODE_RANK=1\0RANK=\0"sv);
  EXPECT_EQ(rank_of_process(folder.roots(), 7), 5);
  EXPECT_EQ(rank_of_process(folder.roots(), 8), 3);
  EXPECT_EQ(rank_of_process(folder.roots(), 9), std::nullopt);
  EXPECT_EQ(rank_of_process(folder.roots(), 10), std::nullopt);
}

}  // namespace
}  // namespace lockstep::evidence
