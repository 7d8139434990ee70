// The shim between a program and NCCL: everything is handed on, and the record says what the program did.
// NCCL and the CUDA driver are test doubles here (nccl/fake_nccl.c, nccl/fake_cuda.c): this is about loading,
// forwarding and telling, not about what NCCL does.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/sample_recording.h"
#include "tests/recorder/nccl/recorded_text.h"
#include "tests/recorder/nccl/run_command.h"

namespace lockstep::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::UnorderedElementsAre;

const std::string kMade = "#1 create_communicator on nccl ID (1 of 4)";
const std::string kMadeEnd = "#1 create_communicator completed";

class NcclShim : public testing::Test {
 protected:
  // The status of exit, with the shim preloaded; `more` are further variables.
  int run(const std::string& mode, const std::string& more = "RANK=1 WORLD_SIZE=4") {
    return status_of("env LD_PRELOAD=" NCCL_ADAPTER " LOCKSTEP_RECORD=" + folder() + " " + more +
                     " " NCCL_SHIM_PROGRAM " " + mode);
  }
  std::string folder() const { return scratch_ / "recording"; }
  std::string file() const { return folder() + "/rank_00001.restart_0.lockstep"; }
  std::vector<std::string> calls() const { return calls_of(file()); }

 private:
  ScratchFolder scratch_;
};

TEST_F(NcclShim, TellsCallsBeforeAndTheirEndsAfter) {
  EXPECT_EQ(run("collectives"), 0);
  const auto lines = calls();
  EXPECT_THAT(lines,
              UnorderedElementsAre(
                  kMade, kMadeEnd, "#2 all_reduce maximum float32 400 bytes on nccl ID (1 of 4)",
                  "#2 all_reduce completed", "#3 broadcast int8 5 bytes peer 3 on nccl ID (1 of 4)",
                  "#3 broadcast completed", "#4 all_gather bfloat16 12 bytes on nccl ID (1 of 4)",
                  "#5 all_reduce sum float64 56 bytes on nccl ID (1 of 4)", "#5 all_reduce completed"));
  EXPECT_THAT(attributes_of(file()), Contains("nccl: 2.28.9"));
}

TEST_F(NcclShim, TellsWhatNcclRefused) {
  EXPECT_EQ(run("failure"), 0);
  EXPECT_THAT(calls(), Contains("#2 all_reduce failed: invalid argument"));
}

TEST_F(NcclShim, TellsAGroupWhenItEnds) {
  EXPECT_EQ(run("group"), 0);
  EXPECT_THAT(calls(),
              UnorderedElementsAre(kMade, kMadeEnd, "#1 send float32 32 bytes peer 2 on nccl ID (1 of 4)",
                                   "#1 receive float32 32 bytes peer 0 on nccl ID (1 of 4)",
                                   "#2 all_reduce maximum float32 36 bytes on nccl ID (1 of 4)",
                                   "#1 send completed", "#2 all_reduce completed"));
}

TEST_F(NcclShim, AGroupThatNeverEndsIssuesNothing) {
  EXPECT_EQ(run("open_group"), 0);
  EXPECT_THAT(calls(), ElementsAre(kMade, kMadeEnd));
}

TEST_F(NcclShim, ASimulatedGroupIssuesNothing) {
  EXPECT_EQ(run("simulated_group"), 0);
  EXPECT_THAT(calls(), UnorderedElementsAre(kMade, kMadeEnd,
                                            "#2 all_reduce maximum float32 40 bytes on nccl ID (1 of 4)",
                                            "#2 all_reduce completed"));
}

TEST_F(NcclShim, ASplitIsACallOfTheParentAndTheFirstOfTheChild) {
  EXPECT_EQ(run("split"), 0);
  EXPECT_THAT(calls(),
              ElementsAre(kMade, kMadeEnd, "#2 create_communicator on nccl ID (1 of 4)",
                          "#2 create_communicator completed",
                          "#1 create_communicator on nccl ID/split 1 color 1 (0 of 2)", kMadeEnd,
                          "#3 create_communicator on nccl ID (1 of 4)", "#3 create_communicator completed",
                          "#2 all_reduce maximum float32 44 bytes on nccl ID/split 1 color 1 (0 of 2)",
                          "#2 all_reduce completed"));
}

TEST_F(NcclShim, SeveralUniqueIdsMakeOneName) {
  EXPECT_EQ(run("scalable"), 0);
  EXPECT_THAT(calls(), ElementsAre(kMade, kMadeEnd));
}

TEST_F(NcclShim, WhatIsCapturedIsOverAtOnce) {
  EXPECT_EQ(run("captured"), 0);
  EXPECT_THAT(
      calls(),
      ElementsAre(kMade, kMadeEnd, "#2 all_reduce maximum float32 48 bytes on nccl ID (1 of 4) captured",
                  "#2 all_reduce completed", "#3 all_reduce maximum float32 52 bytes on nccl ID (1 of 4)"));
}

TEST_F(NcclShim, WhatIsAbortedHasNotEnded) {
  EXPECT_EQ(run("aborted"), 0);
  EXPECT_THAT(calls(), Contains("#2 all_reduce failed"));
  EXPECT_THAT(calls(), Not(Contains("#2 all_reduce completed")));
}

TEST_F(NcclShim, ACallInProgressIsFollowedWhenItsCommunicatorIsReady) {
  EXPECT_EQ(run("non_blocking"), 0);
  EXPECT_THAT(calls(),
              ElementsAre(kMade, kMadeEnd, "#2 all_reduce sum float32 60 bytes on nccl ID (1 of 4)"));
}

TEST_F(NcclShim, LeavesOutACommunicatorOfWhichItHoldsSeveralMembers) {
  EXPECT_EQ(run("several_members"), 0);
  EXPECT_THAT(calls(), Not(Contains(testing::HasSubstr("all_reduce"))));
}

TEST_F(NcclShim, FollowsStreamsOfOtherContexts) {
  EXPECT_EQ(run("foreign_context"), 0);
  EXPECT_THAT(calls(), Contains("#2 all_reduce completed"));
}

TEST_F(NcclShim, FollowsMoreCallsThanItHasRoomForAtOnce) {
  EXPECT_EQ(run("many"), 0);
  EXPECT_EQ(calls().size(), 2U + 2 * 20000);
}

TEST_F(NcclShim, FollowsTheCallsOfSeveralThreads) {
  EXPECT_EQ(run("threads"), 0);
  EXPECT_EQ(calls().size(), 4 * (2U + 2 * 2000));
}

TEST_F(NcclShim, AProcessThatNobodyNumberedIsTheRankThatNcclSays) {
  EXPECT_EQ(run("collectives", "RANK="), 0);
  EXPECT_THAT(calls(), Contains(kMade));
}

TEST_F(NcclShim, OffMeansOff) {
  EXPECT_EQ(run("collectives", "RANK=1 LOCKSTEP_NCCL=0"), 0);
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_EQ(run("split", "RANK=1 LOCKSTEP_RECORD="), 0);
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST_F(NcclShim, LeavesNcclToTheAdapterOfAFrameworkUnlessAsked) {
  const std::string preload = "RANK=1 LD_PRELOAD=" NCCL_ADAPTER ":";
  for (const char* adapter : {TORCH_ADAPTER_DOUBLE, TENSORFLOW_ADAPTER_DOUBLE, HOROVOD_ADAPTER_DOUBLE}) {
    EXPECT_EQ(run("collectives", preload + adapter), 0) << adapter;
    EXPECT_FALSE(std::filesystem::exists(folder())) << adapter;
  }
  EXPECT_EQ(run("collectives", preload + HOROVOD_ADAPTER_DOUBLE " LOCKSTEP_NCCL=1"), 0);
  EXPECT_THAT(calls(), Contains(kMade));
}

}  // namespace
}  // namespace lockstep::tests
