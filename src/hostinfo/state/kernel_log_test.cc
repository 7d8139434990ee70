#include "hostinfo/state/kernel_log.h"

#include <gtest/gtest.h>

namespace lockstep::hostinfo {
namespace {

TEST(KernelRecord, HasItsTimeAndItsFirstLine) {
  const auto line = parse_kernel_record(
      "3,2345,36471849873,-;Out of memory: Killed process 4711 (python3); x\n SUBSYSTEM=cpu\n "
      "DEVICE=+cpu:0\n");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->time_ns, 36471849873000);
  EXPECT_EQ(line->text, "Out of memory: Killed process 4711 (python3); x");
}

TEST(KernelRecord, DamagedOnesAreNone) {
  EXPECT_FALSE(parse_kernel_record(""));
  EXPECT_FALSE(parse_kernel_record("3,2345;text"));
  EXPECT_FALSE(parse_kernel_record("3,2345,-7,-;text"));
  EXPECT_FALSE(parse_kernel_record("3,2345,9223372036854775807,-;text"));
}

TEST(KernelLines, OfJobsAreToldFromOthers) {
  EXPECT_TRUE(bears_on_jobs("Out of memory: Killed process 4711 (python3) total-vm:1kB"));
  EXPECT_TRUE(bears_on_jobs("NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus."));
  EXPECT_TRUE(bears_on_jobs("INFO: task python3:4711 blocked for more than 120 seconds."));
  EXPECT_TRUE(bears_on_jobs("nfs: server files not responding, still trying"));
  EXPECT_FALSE(bears_on_jobs("audit: type=1400 audit(1.2:3): apparmor=\"STATUS\""));
}

TEST(KernelLines, AreAboutAProcessWhenTheyNameItsNumber) {
  const std::vector<pid_t> pids = {4711, 12};
  EXPECT_TRUE(is_about("Out of memory: Killed process 4711 (python3) total-vm:1kB", pids));
  EXPECT_TRUE(is_about("python3[4711]: segfault at 0 ip 00007f", pids));
  EXPECT_TRUE(is_about("INFO: task python3:12 blocked for more than 120 seconds.", pids));
  EXPECT_TRUE(is_about("oom-kill:constraint=CONSTRAINT_MEMCG,task=python3,pid=4711,uid=0", pids));
  EXPECT_TRUE(is_about("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.", pids));
  EXPECT_FALSE(is_about("Killed process 47110 (firefox) x4711", pids));
}

}  // namespace
}  // namespace lockstep::hostinfo
