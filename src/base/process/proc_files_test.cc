#include "base/process/proc_files.h"

#include <csignal>
#include <rapidcheck.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::process {
namespace {

constexpr std::string_view kStat =
    "4711 (py) S (3) T 4700 4711 4700 0 -1 4194304 1600 0 3 0 25 4 0 0 20 0 2 0 3647177 31944704 3510 "
    "18446744073709551615";

TEST(Stat, IsReadBehindANameThatHoldsAnything) {
  EXPECT_EQ(parse_stat(kStat), (Stat{.state = 'T',
                                     .parent = 4700,
                                     .minor_faults = 1600,
                                     .user_ticks = 25,
                                     .system_ticks = 4,
                                     .start_ticks = 3647177}));
}

TEST(Stat, IsReadBehindBracketsInTheName) {
  const auto stat =
      parse_stat("4242 (a) S ) name) T 1 4242 4242 0 -1 4194560 1 2 3 4 70 30 0 0 20 0 1 0 100 0 0");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'T');
  EXPECT_EQ(stat->user_ticks + stat->system_ticks, 100U);
}

TEST(Stat, CutTextsAreNoStat) {
  EXPECT_EQ(parse_stat(""), std::nullopt);
  EXPECT_EQ(parse_stat("4242 (name"), std::nullopt);
  EXPECT_EQ(parse_stat("4242 (name) S 1 2"), std::nullopt);
  EXPECT_EQ(parse_stat("4711 (python3) S 4700"), std::nullopt);
}

constexpr std::string_view kStatus =
    "Name:\tpython3\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4711\nPid:\t4711\nPPid:\t4700\n"
    "VmPeak:\t   31196 kB\nVmHWM:\t   14040 kB\nVmRSS:\t   13000 kB\nVmSwap:\t       0 kB\nThreads:\t2\n"
    "SigQ:\t1/98\nSigPnd:\t0000000000000000\nShdPnd:\t0002000000000000\nSigBlk:\t0000000000000001\n"
    "SigIgn:\t0000000001001000\nSigCgt:\t0002000000000002\n";

TEST(Status, HasMemoryThreadsAndSignals) {
  const Status status = parse_status(kStatus);
  EXPECT_EQ(status.name, "python3");
  EXPECT_EQ(status.state, 'S');
  EXPECT_EQ(status.resident_bytes, 13000U * 1024);
  EXPECT_EQ(status.peak_resident_bytes, 14040U * 1024);
  EXPECT_EQ(status.swapped_bytes, 0U);
  EXPECT_EQ(status.threads, 2U);
  EXPECT_TRUE(status.caught.has(50));
  EXPECT_TRUE(status.caught.has(2));
  EXPECT_FALSE(status.caught.has(49));
  EXPECT_FALSE(status.caught.has(51));
  EXPECT_TRUE(status.shared_pending.has(50));
  EXPECT_FALSE(status.pending.has(50));
  EXPECT_TRUE(status.blocked.has(1));
}

TEST(Status, OfAnEndedProcessHasNoMemory) {
  const Status status = parse_status("Name:\tpython3\nState:\tZ (zombie)\nThreads:\t1\n");
  EXPECT_EQ(status.state, 'Z');
  EXPECT_EQ(status.resident_bytes, std::nullopt);
}

TEST(SignalSet, NumbersOutsideAreInNoSet) {
  const SignalSet all(UINT64_MAX);
  EXPECT_TRUE(all.has(1));
  EXPECT_TRUE(all.has(64));
  EXPECT_FALSE(all.has(0));
  EXPECT_FALSE(all.has(65));
  EXPECT_FALSE(all.has(-3));
}

TEST(Limits, TheSoftOneCounts) {
  constexpr std::string_view kLimits =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max cpu time              unlimited            unlimited            seconds   \n"
      "Max open files            20000                1048576              files     \n";
  EXPECT_EQ(parse_soft_limit(kLimits, "Max open files"), 20000U);
  EXPECT_EQ(parse_soft_limit(kLimits, "Max cpu time"), std::nullopt);
  EXPECT_EQ(parse_soft_limit(kLimits, "Max locked memory"), std::nullopt);
}

TEST(Keys, AreTakenOnlyWhereALineBegins) {
  EXPECT_EQ(number_behind("memcg_oom_kill 7\noom_kill 3\n", "oom_kill "), 3U);
  EXPECT_EQ(number_behind("memcg_oom_kill 7\n", "oom_kill "), std::nullopt);
}

TEST(Kilobytes, ThatNoNumberOfBytesHoldsAreNone) {
  EXPECT_EQ(kilobytes_behind("VmRSS: 18446744073709551615 kB\n", "VmRSS:"), std::nullopt);
}

TEST(ProcTexts, CutAndChangedAnywhereAreReadWithoutFault) {
  rc::check([] {
    std::string text(*rc::gen::element(kStat, kStatus));
    text.resize(*rc::gen::inRange<std::size_t>(0, text.size() + 1));
    if (!text.empty()) text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    parse_stat(text);
    const Status status = parse_status(text);
    RC_ASSERT(status.name.size() <= text.size());
  });
}

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

}  // namespace

}  // namespace lockstep::process
