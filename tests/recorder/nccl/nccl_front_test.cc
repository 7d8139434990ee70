// The library under NCCL's own name, for programs that load NCCL at run time (nccl/front_program.c): NCCL, a
// test double here, is found behind it, gets every argument, and the record says what the program did.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/sample_recording.h"
#include "tests/recorder/nccl/recorded_text.h"
#include "tests/recorder/nccl/run_command.h"

namespace lockstep::tests {
namespace {

class NcclFront : public testing::Test {
 protected:
  int run(const std::string& variables) {
    const std::string command =
        "env RANK=1 LOCKSTEP_RECORD=" + folder() + " " + variables + " " NCCL_FRONT_PROGRAM;
    return status_of(command);
  }
  std::string folder() const { return scratch_ / "recording"; }
  // Nothing ends here, since there is no device: nobody is told to wait.
  void expect_recorded() const {
    EXPECT_THAT(
        calls_of(folder() + "/rank_00001.restart_0.lockstep"),
        testing::ElementsAre("#1 create_communicator on nccl ID (1 of 4)", "#1 create_communicator completed",
                             "#2 all_reduce sum float32 76 bytes on nccl ID (1 of 4) posted"));
  }

 private:
  ScratchFolder scratch_;
};

TEST_F(NcclFront, StandsBeforeNcclInTheSearchPath) {
  EXPECT_EQ(run("LD_LIBRARY_PATH=" NCCL_FRONT_FOLDER ":" FAKE_NCCL_FOLDER), 0);
  expect_recorded();
}

TEST_F(NcclFront, IsPreloadedAndFindsNcclInTheSearchPath) {
  EXPECT_EQ(run("LD_PRELOAD=" NCCL_FRONT_FOLDER "/libnccl.so.2 LD_LIBRARY_PATH=" FAKE_NCCL_FOLDER), 0);
  expect_recorded();
}

TEST_F(NcclFront, IsToldWhereNcclIs) {
  EXPECT_EQ(run("LD_PRELOAD=" NCCL_FRONT_FOLDER "/libnccl.so.2 "
                "LOCKSTEP_NCCL_LIBRARY=" FAKE_NCCL_FOLDER "/libnccl.so.2"),
            0);
  expect_recorded();
}

TEST_F(NcclFront, HandsOnWithoutARecording) {
  EXPECT_EQ(run("LD_LIBRARY_PATH=" NCCL_FRONT_FOLDER ":" FAKE_NCCL_FOLDER " LOCKSTEP_RECORD="), 0);
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST_F(NcclFront, AnswersWithAnErrorWhereThereIsNoNccl) {
  EXPECT_EQ(run("LD_LIBRARY_PATH=" NCCL_FRONT_FOLDER " LOCKSTEP_NCCL_LIBRARY=/nowhere/libnccl.so.2"), 4);
}

}  // namespace
}  // namespace lockstep::tests
