#include "run/supervise/recorder_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::supervise {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

const Installed kParts{.recorder = "/l/liblockstep.so",
                       .mpi_adapter = "/l/mpi.so",
                       .nccl_adapter = "/l/nccl.so",
                       .entropy = "/l/entropy.so",
                       .python = "/l/python"};

std::vector<std::string> with(std::vector<std::string> environment, RecorderSettings settings = {}) {
  settings.folder = "/r";
  settings.stack_signal = 50;
  return with_recorder(std::move(environment), kParts, settings);
}

TEST(RecorderEnvironment, SwitchesEverythingOnAndKeepsTheRest) {
  const auto environment = with({"HOME=/root", "EMPTY="});
  EXPECT_THAT(environment, Contains("HOME=/root"));
  EXPECT_THAT(environment, Contains("EMPTY="));
  EXPECT_THAT(environment, Contains("LOCKSTEP_RECORD=/r"));
  EXPECT_THAT(environment, Contains("LOCKSTEP_LIBRARY=/l/liblockstep.so"));
  EXPECT_THAT(environment, Contains("LD_PRELOAD=/l/mpi.so:/l/nccl.so"));
  EXPECT_THAT(environment, Contains("PYTHONPATH=/l/python"));
  EXPECT_THAT(environment, Not(Contains(StartsWith("LOCKSTEP_MAX_RECORD_SIZE"))));
}

TEST(RecorderEnvironment, ComesBeforeWhatTheUserPreloads) {
  const auto environment = with({"LD_PRELOAD=/usr/lib/libjemalloc.so", "PYTHONPATH=src:lib"});
  EXPECT_THAT(environment, Contains("LD_PRELOAD=/l/mpi.so:/l/nccl.so:/usr/lib/libjemalloc.so"));
  EXPECT_THAT(environment, Contains("PYTHONPATH=/l/python:src:lib"));
}

TEST(RecorderEnvironment, LeavesTheUsersSignalAlone) {
  EXPECT_THAT(with({"LOCKSTEP_STACK_SIGNAL=0"}), Contains("LOCKSTEP_STACK_SIGNAL=0"));
  EXPECT_THAT(with({}), Contains("LOCKSTEP_STACK_SIGNAL=50"));
}

TEST(RecorderEnvironment, ReplacesAnOldRecording) {
  const auto environment = with({"LOCKSTEP_RECORD=/old", "LOCKSTEP_JOB=old"});
  EXPECT_THAT(environment, Contains("LOCKSTEP_RECORD=/r"));
  EXPECT_THAT(environment, Not(Contains(StartsWith("LOCKSTEP_JOB"))));
}

TEST(RecorderEnvironment, RecordsRandomBytesOnlyWithPayload) {
  RecorderSettings settings;
  settings.payload = true;
  settings.payload_steps = 20;
  const auto environment = with({}, settings);
  EXPECT_THAT(environment, Contains("LD_PRELOAD=/l/entropy.so:/l/mpi.so:/l/nccl.so"));
  EXPECT_THAT(environment, Contains("LOCKSTEP_PAYLOAD_STEPS=20"));
  EXPECT_THAT(with_replay({}, kParts, "/out", {.recording = "/r", .rank = 1, .world_size = 2, .restart = 0}),
              Contains("LD_PRELOAD=/l/entropy.so:/l/mpi.so:/l/nccl.so"));
}

TEST(RecorderEnvironment, SaysWhatHappensAtTheSize) {
  RecorderSettings settings;
  settings.max_record_size = "64M";
  EXPECT_THAT(with({}, settings), Contains("LOCKSTEP_RECORD_MODE=ring"));
  settings.is_ring = false;
  EXPECT_THAT(with({}, settings), Contains("LOCKSTEP_RECORD_MODE=full"));
}

}  // namespace
}  // namespace lockstep::supervise
