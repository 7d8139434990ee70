#include "diagnose/logs/line_role.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

// Lines as they follow each other, each with what it is.
using Labelled = std::vector<std::pair<LineRole, std::string_view>>;

void expect_roles(const Labelled& labelled) {
  std::vector<std::string_view> lines;
  for (const auto& [role, line] : labelled) lines.push_back(line);
  const std::vector<LineRole> roles = roles_of(lines);
  ASSERT_EQ(roles.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(word_for(roles[i]), word_for(labelled[i].first)) << lines[i];
}

TEST(LineRole, ATracebackIsReadAsOne) {
  expect_roles(
      {{LineRole::kFrame, "Traceback (most recent call last):"},
       {LineRole::kFrame, "  File \"train.py\", line 7, in main"},
       {LineRole::kQuotedSource, "    raise ValueError(\"batch size must divide\")"},
       {LineRole::kQuotedSource, "    ^^^^^^^^^^^^^^^^"},
       {LineRole::kException, "ValueError: batch size must divide"},
       {LineRole::kBanner, ""},
       {LineRole::kRaisedFrom, "During handling of the above exception, another exception occurred:"},
       {LineRole::kFrame, "Traceback (most recent call last):"},
       {LineRole::kFrame, "  File \"train.py\", line 9, in <module>"},
       {LineRole::kQuotedSource, "    next(batches)  # may raise StopIteration"},
       {LineRole::kException, "StopIteration"}});
}

TEST(LineRole, WhatFailsOnTheWayOutIsTearDown) {
  expect_roles({{LineRole::kTearDown, "Error in atexit._run_exitfuncs:"},
                {LineRole::kFrame, "Traceback (most recent call last):"},
                {LineRole::kFrame, "  File \"cache.py\", line 105, in put"},
                {LineRole::kQuotedSource, "    os.replace(path + '.tmp', path)"},
                {LineRole::kTearDown, "FileNotFoundError: [Errno 2] No such file or directory: 'a.tmp'"},
                {LineRole::kFrame, "Traceback (most recent call last):"},
                {LineRole::kFrame, "  File \"train.py\", line 9, in <module>"},
                {LineRole::kException, "ValueError: a fault of its own"}});
}

TEST(LineRole, PyTorchsOwnRecordsHaveLevels) {
  expect_roles(
      {{LineRole::kLogWarning, "[W socket.cpp:426] [c10d] The server socket has failed to bind"},
       {LineRole::kLogWarning,
        "[rank1]:[W501 10:17:30.592 ProcessGroupNCCL.cpp:1250] Warning: not destroyed"},
       {LineRole::kLogError, "[rank3]:[E1018 12:00:00.1 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught"},
       {LineRole::kLogError, "[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught"},
       {LineRole::kLogInfo, "[I socket.cpp:582] [c10d] The client socket will try again"}});
}

TEST(LineRole, WhatPythonImportsIsNoEvent) {
  expect_roles(
      {{LineRole::kLibraryInfo, "import time: self [us] | cumulative | imported package"},
       {LineRole::kLibraryInfo, "import time:       312 |       4121 |     numpy.lib.npyio"},
       {LineRole::kLibraryInfo, "import 'numpy.lib.npyio' # <_frozen_importlib_external.SourceFileLoader>"},
       {LineRole::kLibraryInfo, "# code object from '/usr/lib/python3/numpy/lib/npyio.py'"}});
}

TEST(LineRole, TracebacksOfRanksMayBeMixed) {
  expect_roles({{LineRole::kFrame, "[rank0]: Traceback (most recent call last):"},
                {LineRole::kFrame, "[rank1]: Traceback (most recent call last):"},
                {LineRole::kFrame, "[rank0]:   File \"a.py\", line 1, in f"},
                {LineRole::kFrame, "[rank1]:   File \"a.py\", line 1, in f"},
                {LineRole::kQuotedSource, "[rank0]:     raise KeyError(x)"},
                {LineRole::kQuotedSource, "[rank1]:     raise KeyError(x)"},
                {LineRole::kException, "[rank0]: KeyError: 'x'"},
                {LineRole::kException, "[rank1]: KeyError: 'x'"}});
}

TEST(LineRole, PrintedSourceIsNoException) {
  expect_roles({{LineRole::kSourceListing, "def forward(self, x):"},
                {LineRole::kSourceListing, "    if x is None:"},
                {LineRole::kSourceListing, "        raise ValueError(\"x is missing\")"},
                {LineRole::kSourceListing, "    return x"}});
}

TEST(LineRole, APrintedConfigurationIsOneFromThreeLinesOn) {
  expect_roles({{LineRole::kSetting, "  \"activation_checkpointing\": {"},
                {LineRole::kSetting, "    \"partition_activations\": false,"},
                {LineRole::kSetting, "    \"contiguous_memory_optimization\": false,"},
                {LineRole::kSetting, "    \"timeout\": 1800,"}});
  expect_roles({{LineRole::kSetting, "gradient_clipping ............ 1.0"},
                {LineRole::kSetting, "zero_allow_untested_optimizer  ... False"},
                {LineRole::kSetting, "abort_on_error ............... True"}});
  expect_roles({{LineRole::kOther, "reason: no route to host"}});
}

TEST(LineRole, ALoggersLevelCountsMoreThanItsWords) {
  expect_roles(
      {{LineRole::kLogWarning, "2026-11-18 06:07:47 WARNING trainer: failed to find a cache, going on"},
       {LineRole::kLogInfo, "[2026-11-18 06:07:47,001] [INFO] [engine.py:12] error feedback is off"},
       {LineRole::kLogError, "E1118 06:07:47.001 77 process.cc:9] cannot connect"},
       {LineRole::kLogWarning, "/a/b.py:12: UserWarning: may give inconsistent results between ranks"},
       {LineRole::kLibraryInfo, "node1:77:140 [3] NCCL INFO dlvsym failed on ncclx - undefined symbol"},
       {LineRole::kLogWarning, "node1:77:140 [3] NCCL WARN Call to connect failed"}});
}

TEST(LineRole, AGoodEndIsNoFailureOfALauncher) {
  expect_roles({{LineRole::kEndedWell,
                 "[2026-11-18 06:07:47,001] [INFO] [launch.py:460:main] Process 77 exits successfully."},
                {LineRole::kEndedWell, "Program exited with code 0"},
                {LineRole::kEndedWell,
                 "[I ProcessGroupNCCL.cpp:844] [Rank 0] NCCL watchdog thread terminated normally"},
                {LineRole::kLogInfo,
                 "[2026-11-18 06:07:47,001] [INFO] [launch.py:253:main] process 77 spawned with command"},
                {LineRole::kLauncher,
                 "[2026-11-18 06:07:47,001] [INFO] [launch.py:316:sigkill_handler] Killing subprocess 77"},
                {LineRole::kLauncher, "[rank3] exit code: 137"},
                {LineRole::kLauncher, "test_two Process Process-3 died from signal 15"}});
}

TEST(LineRole, StepsThatLookLikeSettingsAreSteps) {
  expect_roles({{LineRole::kProgress, "loss: 2.31"},
                {LineRole::kProgress, "loss: 2.30"},
                {LineRole::kProgress, "loss: 2.28"}});
  expect_roles({{LineRole::kSetting, "model: big"},
                {LineRole::kSetting, "epoch: 3"},
                {LineRole::kSetting, "batch: 16"},
                {LineRole::kSetting, "optimizer: adam"}});
}

TEST(LineRole, WhatLaunchersKernelsAndEndsPrint) {
  expect_roles(
      {{LineRole::kLauncher, "  exitcode  : -9 (pid: 77)"},
       {LineRole::kLauncher,
        "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-18T06:07:47 DUE TO TIME LIMIT ***"},
       {LineRole::kKernel, "[12345.678901] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."},
       {LineRole::kTearDown, "host:1:1 [0] Connection closed by localRank 2"},
       {LineRole::kProgress, " 12%|#2        | 12/100 [00:12<01:20,  1.10it/s]"},
       {LineRole::kProgress, "Epoch 3 step 120 loss 2.31"},
       {LineRole::kBanner, "=================="},
       {LineRole::kTable, "| GPU | Memory | Utilisation |"}});
}

}  // namespace
}  // namespace lockstep::logs
