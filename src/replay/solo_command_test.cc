#include "replay/solo_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

record::PayloadProcess recorded() {
  return {.arguments = {"/venv/bin/python", "-u", "train.py", "--lr", "0.1"},
          .environment = {"RANK=1", "LD_PRELOAD=/x/liblockstep_mpi.so:/x/liblockstep_nccl.so:/y/libuser.so",
                          "LOCKSTEP_RECORD=/rec", "EMPTY="},
          .folder = "/job",
          .program = "/venv/bin/python"};
}

TEST(SoloCommand, WithoutACommandItIsTheRecordedOne) {
  EXPECT_EQ(solo_command(recorded(), {}), recorded().arguments);
}

TEST(SoloCommand, ADebuggerGetsTheCommandBehindIt) {
  EXPECT_THAT(solo_command(recorded(), {"gdb", "--args"}),
              ElementsAre("gdb", "--args", "/venv/bin/python", "-u", "train.py", "--lr", "0.1"));
  EXPECT_THAT(solo_command(recorded(), {"/usr/bin/env", "X=1"}),
              ElementsAre("/usr/bin/env", "X=1", "/venv/bin/python", "-u", "train.py", "--lr", "0.1"));
}

TEST(SoloCommand, AModuleGetsTheScriptAndTheRecordedPython) {
  EXPECT_THAT(solo_command(recorded(), {"python", "-m", "pdb"}),
              ElementsAre("/venv/bin/python", "-m", "pdb", "train.py", "--lr", "0.1"));
}

TEST(SoloCommand, AnyOtherCommandIsRunAsItStands) {
  EXPECT_THAT(solo_command(recorded(), {"./simulate", "-x"}), ElementsAre("./simulate", "-x"));
  EXPECT_THAT(solo_command(recorded(), {"/usr/bin/python3", "fixed.py"}),
              ElementsAre("/usr/bin/python3", "fixed.py"));
}

TEST(SoloCommand, ABarePythonIsTheRecordedOne) {
  EXPECT_THAT(solo_command(recorded(), {"python", "fixed.py"}), ElementsAre("/venv/bin/python", "fixed.py"));
}

TEST(SoloCommand, OurOwnVariablesAreTakenOut) {
  EXPECT_THAT(recorded_environment(recorded()), ElementsAre("EMPTY=", "LD_PRELOAD=/y/libuser.so", "RANK=1"));
}

TEST(SoloCommand, DifferencesAreNamed) {
  record::PayloadProcess other = recorded();
  EXPECT_THAT(differences_between(recorded(), other), IsEmpty());
  other.environment[0] = "RANK=2";
  other.environment.push_back("OMP_NUM_THREADS=2");
  other.environment.push_back("COLUMNS=80");
  other.arguments.push_back("--fix");
  EXPECT_THAT(differences_between(recorded(), other),
              ElementsAre("the command", "variable RANK", "variable OMP_NUM_THREADS"));
}

}  // namespace
}  // namespace lockstep::replay
