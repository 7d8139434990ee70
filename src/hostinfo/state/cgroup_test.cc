#include "hostinfo/state/cgroup.h"

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::hostinfo {
namespace {

TEST(CgroupPlaces, OfBothVersions) {
  EXPECT_EQ(parse_cgroup_places("0::/user.slice/job_7\n"),
            (CgroupPlaces{.unified = "/user.slice/job_7", .memory = {}, .cpu = {}}));
  EXPECT_EQ(parse_cgroup_places("9:name=systemd:/\n4:memory:/slurm/job_7\n2:cpuacct,cpu:/slurm\n0::/\n"),
            (CgroupPlaces{.unified = "/", .memory = "/slurm/job_7", .cpu = "/slurm"}));
  EXPECT_EQ(parse_cgroup_places("nothing\n:\n"), CgroupPlaces{});
}

TEST(CpuMax, IsAQuotaOverAPeriod) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("150000 0\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
}

TEST(Cgroup, OfVersion2HasTheTightestLimitAboveIt) {
  const process::FolderForTests folder;
  folder.write("proc/self/cgroup", "0::/pod/container\n");
  folder.write("sys/fs/cgroup/pod/container/memory.current", "1000\n");
  folder.write("sys/fs/cgroup/pod/container/memory.max", "max\n");
  folder.write("sys/fs/cgroup/pod/container/memory.events", "low 0\noom 2\noom_kill 1\n");
  folder.write("sys/fs/cgroup/pod/container/cpu.max", "400000 100000\n");
  folder.write("sys/fs/cgroup/pod/container/cpu.stat", "usage_usec 5\nnr_throttled 12\n");
  folder.write("sys/fs/cgroup/pod/memory.current", "1500\n");
  folder.write("sys/fs/cgroup/pod/memory.max", "2000\n");
  folder.write("sys/fs/cgroup/pod/cpu.max", "200000 100000\n");
  EXPECT_EQ(read_cgroup(folder.roots(), "self"), (CgroupState{.memory_bytes = 1500,
                                                              .memory_limit_bytes = 2000,
                                                              .oom_kills = 1,
                                                              .cpu_quota = 2.0,
                                                              .times_throttled = 12}));
}

TEST(Cgroup, OfVersion1InAContainerIsFoundAtTheMount) {
  const process::FolderForTests folder;
  folder.write("proc/4711/cgroup", "4:memory:/docker/abc\n2:cpu:/docker/abc\n");
  folder.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "77\n");
  folder.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  folder.write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  folder.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  folder.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_cgroup(folder.roots(), "4711"), (CgroupState{.memory_bytes = 77,
                                                              .memory_limit_bytes = {},
                                                              .oom_kills = 3,
                                                              .cpu_quota = {},
                                                              .times_throttled = {}}));
}

TEST(Cgroup, APathThatLeadsOutOfTheMountIsNotFollowed) {
  const process::FolderForTests folder;
  folder.write("proc/self/cgroup", "0::/../../elsewhere\n");
  folder.write("sys/elsewhere/memory.current", "5\n");
  EXPECT_EQ(read_cgroup(folder.roots(), "self"), CgroupState{});
}

}  // namespace
}  // namespace lockstep::hostinfo
