#include "run/evidence/process_usage.h"

#include <string>

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::evidence {
namespace {

TEST(ProcessUsage, IsReadFromTheKernelsCounters) {
  const process::FolderForTests folder;
  std::string stat = "7 (a (b) c) R 1 2 3 4 5 6 7 8 300 10 150 50";
  for (int field = 16; field < 22; ++field) stat += " 0";
  stat += " 99";  // the start
  for (int field = 23; field < 42; ++field) stat += " 0";
  folder.write("proc/7/stat", stat + " 25 0\n");
  folder.write("proc/7/status", "Name:\tx\nVmSwap:\t 8 kB\n");
  folder.write("proc/7/task/7/schedstat", "100 2000000000 5\n");
  folder.write("proc/7/task/8/schedstat", "100 1000000000 5\n");
  folder.write("proc/7/cgroup", "0::/job\n");
  folder.write("sys/fs/cgroup/job/cpu.stat", "usage_usec 9\nthrottled_usec 1500000\n");
  folder.write("proc/pressure/cpu", "some avg10=42.50 avg60=1.0 avg300=0.1 total=3\n");
  const process::Roots roots{.proc = folder.path() / "proc", .sys = folder.path() / "sys"};
  const auto usage = usage_of_process(roots, 7);
  ASSERT_TRUE(usage);
  EXPECT_DOUBLE_EQ(usage->cpu_s, 2.0);
  EXPECT_DOUBLE_EQ(usage->core_wait_s, 3.0);
  EXPECT_DOUBLE_EQ(usage->disk_wait_s, 0.25);
  EXPECT_DOUBLE_EQ(usage->throttled_s, 1.5);
  EXPECT_EQ(usage->major_faults, 300U);
  EXPECT_EQ(usage->swapped_bytes, 8192U);
  EXPECT_DOUBLE_EQ(processor_pressure(roots).value_or(0), 0.425);
  EXPECT_FALSE(usage_of_process(roots, 8));
}

}  // namespace
}  // namespace lockstep::evidence
