#include "hostinfo/state/host_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::hostinfo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostState, AreReadFromItsTexts) {
  const process::FolderForTests folder;
  folder.write("proc/loadavg", "2.73 2.10 1.96 3/406 15992\n");
  folder.write("proc/meminfo",
               "MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable: 40 kB\nSwapTotal: 8 kB\nSwapFree: 2 kB\n");
  folder.write("proc/vmstat", "nr_free_pages 1\noom_kill 4\n");
  folder.write("proc/net/snmp", "Tcp: RtoMin RetransSegs InErrs\nTcp: 200 4578 0\n");
  const HostState state = read_host_state(
      {.roots = folder.roots(), .folders = {folder.path(), "/no/such/folder"}, .kernel_lines_since_ns = {}});
  EXPECT_EQ(state.load, (Load{.one_minute = 2.73, .five_minutes = 2.1, .fifteen_minutes = 1.96}));
  EXPECT_EQ(state.memory, (Memory{.total_bytes = 102400,
                                  .available_bytes = 40960,
                                  .swap_total_bytes = 8192,
                                  .swap_free_bytes = 2048}));
  EXPECT_EQ(state.oom_kills, 4U);
  EXPECT_EQ(state.tcp_segments_sent_again, 4578U);
  ASSERT_EQ(state.disks.size(), 1U);
  EXPECT_GT(state.disks[0].total_bytes, 0U);
  EXPECT_GT(state.clock.wall_ns, 0);
  EXPECT_FALSE(state.name.empty());
}

TEST(Load, OfADamagedTextIsNone) {
  EXPECT_EQ(parse_loadavg("2.73 2.10"), std::nullopt);
  EXPECT_EQ(parse_loadavg(""), std::nullopt);
}

HostState quiet_host() {
  HostState state;
  state.oom_kills = 1;
  state.cgroup.times_throttled = 0;
  state.tcp_segments_sent_again = 100;
  state.links = {
      {.name = "eth0", .state = "up", .troubles = {{"receive errors", 5}, {"carrier changes", 2}}}};
  GpuState gpu;
  gpu.memory_errors_uncorrected = 0;
  state.gpus = {gpu};
  state.disks = {
      {.folder = "/dev/shm", .total_bytes = 64U << 20U, .free_bytes = 32U << 20U, .free_files = 9}};
  return state;
}

TEST(Changes, AreNoneOnAHostThatGoesOnAsBefore) {
  EXPECT_THAT(changes(quiet_host(), quiet_host()), IsEmpty());
}

TEST(Changes, CountersThatBeganAgainSayNothing) {
  HostState later = quiet_host();
  later.oom_kills = 0;
  later.links[0].troubles["receive errors"] = 0;
  EXPECT_THAT(changes(quiet_host(), later), IsEmpty());
}

TEST(Changes, NameWhatGotWorse) {
  HostState later = quiet_host();
  later.oom_kills = 3;
  later.cgroup.times_throttled = 40;
  later.tcp_segments_sent_again = 150;
  later.links[0].troubles["receive errors"] = 17;
  later.links[0].state = "down";
  later.gpus[0].memory_errors_uncorrected = 2;
  later.gpus[0].slowed_by = {"power brake"};
  later.disks[0].free_bytes = 1U << 20U;
  EXPECT_THAT(
      changes(quiet_host(), later),
      ElementsAre("the kernel ended 2 processes for lack of memory",
                  "the CPU quota of the control group held processes back 40 times",
                  "TCP sent 50 segments again", "eth0: 12 more receive errors", "eth0: was up, is down",
                  "GPU 0: slowed by power brake", "GPU 0: 2 more memory errors that could not be corrected",
                  "/dev/shm: 1 MiB are free"));
}

TEST(Changes, AGpuOrALinkThatIsGoneIsTold) {
  HostState later = quiet_host();
  later.gpus.clear();
  later.links.clear();
  EXPECT_THAT(changes(quiet_host(), later), ElementsAre("eth0: is gone", "0 of 1 GPUs are left"));
}

TEST(Slowdowns, IdlenessIsNone) {
  EXPECT_THAT(slowdowns_in_words(0x1), IsEmpty());
  EXPECT_THAT(slowdowns_in_words(0x1 | 0x8 | 0x80), ElementsAre("hardware slowdown", "power brake"));
}

}  // namespace
}  // namespace lockstep::hostinfo
