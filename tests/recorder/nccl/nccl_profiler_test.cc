// NCCL's profiler plugin, called as each version of NCCL calls it (nccl/profiler_program.c).
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/sample_recording.h"
#include "tests/recorder/nccl/recorded_text.h"
#include "tests/recorder/nccl/run_command.h"

namespace lockstep::tests {
namespace {

class NcclProfiler : public testing::TestWithParam<int> {
 protected:
  int run(const std::string& more = "") {
    const std::string command = "env LOCKSTEP_RECORD=" + folder() + " RANK=1 " + more +
                                " " NCCL_PROFILER_PROGRAM " " NCCL_ADAPTER " " + std::to_string(GetParam());
    return status_of(command);
  }
  std::string folder() const { return scratch_ / "recording"; }
  std::string file() const { return folder() + "/rank_00001.restart_0.lockstep"; }

 private:
  ScratchFolder scratch_;
};

// Who the communicator is, versions from 4 on say; what ends, those from 3 on; what is captured, from 5 on.
TEST_P(NcclProfiler, TellsWhatNcclSays) {
  EXPECT_EQ(run(), 0);
  const int version = GetParam();
  const std::string size = version < 4 ? "0" : "4";
  const std::string on = " on nccl ID (1 of " + size + ")";
  const std::string posted = version < 3 ? " posted" : "";
  const std::string captured = version < 5 ? "" : " captured";
  std::vector<std::string> expected = {"#1 create_communicator" + on, "#1 create_communicator completed",
                                       "#2 all_reduce float32 400 bytes" + on + posted,
                                       "#1 send float32 32 bytes peer 2" + on + " posted",
                                       "#3 broadcast int8 50 bytes peer 3" + on + captured + posted};
  if (version >= 3) {
    for (const char* line : {"#2 all_reduce completed", "#1 send started", "#1 send completed"}) {
      expected.emplace_back(line);
    }
  }
  EXPECT_THAT(calls_of(file()), testing::ElementsAreArray(expected));
  EXPECT_THAT(attributes_of(file()), testing::Contains("nccl profiler: v" + std::to_string(version)));
}

TEST_P(NcclProfiler, AsksForNothingWhenNothingIsRecorded) {
  EXPECT_EQ(run("LOCKSTEP_NCCL=0"), 0);
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

INSTANTIATE_TEST_SUITE_P(Versions, NcclProfiler, testing::Range(1, 8));

}  // namespace
}  // namespace lockstep::tests
