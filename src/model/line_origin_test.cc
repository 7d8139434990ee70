#include "model/line_origin.h"

#include <ostream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::model {
namespace {

struct Style {
  std::string_view line;
  LineOrigin origin;
  std::string_view text;
};

std::ostream& operator<<(std::ostream& out, const Style& style) {
  return out << style.line;
}

class LineStyle : public testing::TestWithParam<Style> {};

TEST_P(LineStyle, IsKnown) {
  const OwnedLine owned = split_origin(GetParam().line);
  EXPECT_EQ(owned.origin.rank, GetParam().origin.rank);
  EXPECT_EQ(owned.origin.local_rank, GetParam().origin.local_rank);
  EXPECT_EQ(owned.origin.host, GetParam().origin.host);
  EXPECT_EQ(owned.text, GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Launchers, LineStyle,
    testing::Values(
        Style{"[rank3]: Traceback", {.rank = 3}, "Traceback"},
        Style{"[rank12]:[E ProcessGroupNCCL.cpp:563] [Rank 5] Watchdog caught",
              {.rank = 12},
              "[E ProcessGroupNCCL.cpp:563] [Rank 5] Watchdog caught"},
        Style{"[default1]:Thread 0x1", {.local_rank = 1}, "Thread 0x1"},
        Style{"[default1]:[rank5]:   File \"a\"", {.rank = 5, .local_rank = 1}, "  File \"a\""},
        Style{"[1,12]<stderr>:Thread", {.rank = 12}, "Thread"},
        Style{"[prterun-n1-99@1,3]<stdout>:x", {.rank = 3}, "x"},
        Style{"[7]<stdout>:Thread", {.rank = 7}, "Thread"},
        Style{"Thu Oct  1 12:00:00 2020[3]<stderr>:Traceback", {.rank = 3}, "Traceback"},
        Style{"3: Thread", {.rank = 3}, "Thread"}, Style{" 3:   File \"a\"", {.rank = 3}, "  File \"a\""},
        Style{"srun: error: node7: task 3: Out Of Memory", {.rank = 3, .host = "node7"}, "Out Of Memory"},
        Style{"[worker-2]:    E0622 16:47:05", {.rank = 2}, "   E0622 16:47:05"},
        Style{"[pod/job-worker-4/pytorch] Traceback", {.rank = 4, .host = "job-worker-4"}, "Traceback"},
        Style{"worker-1  | loss 3", {.host = "worker-1"}, "loss 3"},
        Style{"(train pid=7, ip=10.0.0.9) loss 3", {.host = "10.0.0.9"}, "loss 3"},
        Style{"(Worker pid=14896) *** SIGSEGV", {}, "*** SIGSEGV"},
        Style{"(Worker pid=1, ip=10.0.0.9) [rank 3] x", {.rank = 3, .host = "10.0.0.9"}, "x"},
        Style{"n1:8:9 [3] NCCL INFO x", {.host = "n1"}, "n1:8:9 [3] NCCL INFO x"},
        Style{"[gpu07:22113] *** Process", {.host = "gpu07"}, "*** Process"},
        Style{"gpu-node-01: Traceback", {.host = "gpu-node-01"}, "Traceback"},
        Style{"[RANK 1] [ERROR] x", {.rank = 1}, "[ERROR] x"},
        Style{"[2024-06-11 00:23:36,254] [INFO] [logging.py:96:log_dist] [Rank 2] x",
              {.rank = 2},
              "[INFO] [logging.py:96:log_dist] [Rank 2] x"},
        Style{"[rank3] 2024-03-07 08:00:01 step 41 loss 2.1", {.rank = 3}, "step 41 loss 2.1"},
        Style{"[2021-12-07 10:42:15] 1d0cefc1 [rank=1] || error", {.rank = 1}, "1d0cefc1 [rank=1] || error"},
        Style{"[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught",
              {},
              "[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught"}));

TEST(LineOrigin, FindsATagBehindWhateverStandsBeforeIt) {
  const OwnedLine kept =
      split_origin("<165>1 2026-11-18T09:12:02Z gpu-12 train 8710 - - [rank3]:   File \"a\"");
  EXPECT_EQ(kept.origin.rank, 3);
  EXPECT_EQ(kept.text, "  File \"a\"");
  const OwnedLine both = split_origin("@4000000063a1b2c3 [default1]:[rank5]: x");
  EXPECT_EQ(both.origin, (LineOrigin{.rank = 5, .local_rank = 1}));
  EXPECT_EQ(both.text, "x");
  EXPECT_EQ(split_origin("26/11/18 09:12:02 INFO Task: [1,7]<stderr>:x").origin.rank, 7);
  const OwnedLine task = split_origin("26/11/18 09:12:02 srun: error: gpu-12: task 6: Out Of Memory");
  EXPECT_EQ(task.origin, (LineOrigin{.rank = 6, .host = "gpu-12"}));
  EXPECT_EQ(task.text, "Out Of Memory");
  EXPECT_EQ(split_origin("see [rank3] and [default1] in the log").origin, LineOrigin());
}

TEST(LineOrigin, LeavesOtherLinesAlone) {
  for (const std::string_view line :
       {"", "[", "[]:", "[3]:", "[rank]: x", "[rank99999999999]: x", "  File \"a\"", "[1]:", "3:x", "-3: x",
        "RuntimeError: x", "error: x", "(x) y", "loss 0.3: 2"}) {
    const OwnedLine owned = split_origin(line);
    EXPECT_EQ(owned.origin, LineOrigin()) << line;
    EXPECT_EQ(owned.text, line) << line;
  }
}

TEST(LineOrigin, KeepsTheTimeApart) {
  const OwnedLine owned = split_origin("2024-11-02 10:00:01,5 [rank1]: x");
  EXPECT_EQ(owned.origin.rank, 1);
  EXPECT_EQ(owned.text, "x");
  EXPECT_TRUE(owned.time_ns.has_value());
  EXPECT_LT(owned.time_ns, split_origin("[rank0]:[2024-11-02 10:00:02] x").time_ns);
}

RC_GTEST_PROP(LineOrigin, AnyBytesLeaveAnEndOfTheLine, (const std::string& line)) {
  RC_ASSERT(line.ends_with(split_origin(line).text));
}

}  // namespace
}  // namespace lockstep::model
