#include "run/evidence/native_stacks.h"

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::evidence {
namespace {

TEST(Tracing, IsForbiddenByTheKernelsSetting) {
  const process::FolderForTests folder;
  EXPECT_EQ(why_tracing_is_forbidden(folder.roots(), false), "");
  folder.write("proc/sys/kernel/yama/ptrace_scope", "0\n");
  EXPECT_EQ(why_tracing_is_forbidden(folder.roots(), false), "");
  folder.write("proc/sys/kernel/yama/ptrace_scope", "1\n");
  EXPECT_EQ(why_tracing_is_forbidden(folder.roots(), true), "");
  EXPECT_EQ(why_tracing_is_forbidden(folder.roots(), false),
            "kernel.yama.ptrace_scope is 1: only root may trace processes it did not start");
  folder.write("proc/sys/kernel/yama/ptrace_scope", "3\n");
  EXPECT_EQ(why_tracing_is_forbidden(folder.roots(), true),
            "kernel.yama.ptrace_scope is 3: nobody may trace");
}

TEST(Reason, IsTheLineThatNamesPtraceElseTheLast) {
  EXPECT_EQ(reason_in("Could not attach to process.\nptrace: Operation not permitted.\nNo stack.\n"),
            "ptrace: Operation not permitted.");
  EXPECT_EQ(reason_in("warning: cannot read symbols\neu-stack: no such process\n\n"),
            "eu-stack: no such process");
  EXPECT_EQ(reason_in(""), "nothing");
}

}  // namespace
}  // namespace lockstep::evidence
