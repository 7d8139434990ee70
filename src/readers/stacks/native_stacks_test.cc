#include <rapidcheck.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/stacks/stacks.h"

namespace lockstep::readers {
namespace {

using ::testing::ElementsAre;

model::Job read_native(std::string_view text) {
  const Source source{.name = "native", .path = "/rec/stacks/rank_00003.restart_0.native.txt", .bytes = text};
  return recognises_native_stacks(source) ? read_native_stacks(source) : model::Job{};
}

constexpr std::string_view kGdb =
    "lockstep_native_stacks 1 pid 22688 by gdb\n[New LWP 22690]\n"
    "0x00007f72f30a326f in poll () from /lib/x86_64-linux-gnu/libc.so.6\n\n"
    "Thread 2 (Thread 0x7f72f2fa36c0 (LWP 22690) \"helper\"):\n"
    "#0  0x00007f72f3076545 in clock_nanosleep () from /lib/x86_64-linux-gnu/libc.so.6\n\n"
    "Thread 1 (Thread 0x7f72f2fa4740 (LWP 22688) \"train\"):\n"
    "#0  0x00007f72f30a326f in poll () from /lib/x86_64-linux-gnu/libc.so.6\n"
    "#1  0x000055f8c761e190 in load_batch (n=1000000, name=0x1 \"a) at b\") at /job/train.c:5\n"
    "#2  main () at /job/train.c:6\n[Inferior 1 (process 22688) detached]\n";

constexpr std::string_view kEuStack =
    "lockstep_native_stacks 1 pid 22688 by eu-stack\nPID 22688 - process\nTID 22688:\n"
    "#0  0x00007f72f30a326f __poll\n    ../sysdeps/unix/sysv/linux/poll.c:29:10\n"
    "#1  0x000055f8c761e190 load_batch\n    /job/train.c:5:50\n#2  0x000055f8c761e091 _start\nTID 22690:\n"
    "#0  0x00007f72f3076545 __nanosleep\n";

TEST(NativeStacks, OfGdb) {
  const model::Job job = read_native(kGdb);
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank.number, 3);
  EXPECT_EQ(job.ranks[0].rank.pid, 22688);
  ASSERT_EQ(job.ranks[0].snapshots.size(), 2U);
  EXPECT_EQ(job.ranks[0].snapshots[0].thread_name, "helper");
  EXPECT_FALSE(job.ranks[0].snapshots[0].is_main);
  EXPECT_TRUE(job.ranks[0].snapshots[1].is_main);
  EXPECT_THAT(
      job.stacks[job.ranks[0].snapshots[1].stack],
      ElementsAre(model::Frame{"poll", "/lib/x86_64-linux-gnu/libc.so.6", 0},
                  model::Frame{"load_batch", "/job/train.c", 5}, model::Frame{"main", "/job/train.c", 6}));
}

TEST(NativeStacks, OfEuStack) {
  const model::Job job = read_native(kEuStack);
  ASSERT_EQ(job.ranks.size(), 1U);
  ASSERT_EQ(job.ranks[0].snapshots.size(), 2U);
  EXPECT_TRUE(job.ranks[0].snapshots[0].is_main);
  EXPECT_THAT(job.stacks[job.ranks[0].snapshots[0].stack],
              ElementsAre(model::Frame{"__poll", "../sysdeps/unix/sysv/linux/poll.c", 29},
                          model::Frame{"load_batch", "/job/train.c", 5}, model::Frame{"_start", "", 0}));
}

TEST(NativeStacks, OfAPythonProcessAreNotWhereItsProgramStands) {
  const model::Job job = read_native(
      "lockstep_native_stacks 1 pid 7 by eu-stack\nTID 7:\n#0  0x1 __poll\n#1  0x2 "
      "_PyEval_EvalFrameDefault\n");
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_FALSE(job.ranks[0].snapshots[0].is_main);
}

TEST(NativeStacks, WithoutAThreadAreALimit) {
  EXPECT_EQ(read_native("lockstep_native_stacks 1 pid 7 by gdb\n").limits.size(), 1U);
}

TEST(NativeStacks, CutAndChangedAnywhereAreReadWithoutFault) {
  rc::check([] {
    std::string text(*rc::gen::element(kGdb, kEuStack));
    text.resize(*rc::gen::inRange<std::size_t>(0, text.size() + 1));
    if (!text.empty()) text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    RC_ASSERT(read_native(text).ranks.size() <= 1U);
  });
}

}  // namespace
}  // namespace lockstep::readers
